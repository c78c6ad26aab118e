"""How many records a page has: the requested limit, and what MongoDB can send at once."""

from runtime.call import Call
from runtime.errors import InvalidParameter


def page_limit(call: Call, asked: int | None) -> int:
    """Return the page size: as requested, at most the setting's."""
    most = call.service.settings.max_page_size
    if asked is not None and asked > most:
        raise InvalidParameter(f"limit is at most {most}", parameter="limit")
    return asked or min(call.service.settings.page_size, most)


def too_large(fitting: int) -> InvalidParameter:
    """Build the refusal of a page that cannot be cut; ``fitting``: how many records fit in one page."""
    return InvalidParameter(
        f"these records are over 16 MB, which is more than a page may have: ask for at most {fitting}, "
        "or for some of their fields",
        parameter="limit",
    )
