"""How large the next batch is. Pure."""


def resize(size: int, seconds: float, *, target: float, least: int, most: int) -> int:
    """Return the size that takes ``target`` seconds, judged by a batch that took ``seconds``.

    At most twice as many as before: one batch says little about a much larger one.
    """
    wanted = int(size * min(2.0, target / max(seconds, 0.001)))
    return min(most, max(least, wanted))
