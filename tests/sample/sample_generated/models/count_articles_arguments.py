"""CountArticlesArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Strict


class CountArticlesArguments(Strict):
    """The arguments of the tool count_articles."""

    status: Literal["DRAFT", "OFFERED", "DROPPED"]
