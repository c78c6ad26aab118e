"""Numbers with their nouns, in what people read."""


def count_things(count: int, thing: str, things: str = "") -> str:
    """Write a number with its noun, as in ``1 record`` and ``1,204 records``."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"
