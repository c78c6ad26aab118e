"""DropArticleArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from runtime.model.record import ObjectIdText, Strict


class DropArticleArguments(Strict):
    """The arguments of the tool drop_article."""

    id: ObjectIdText
