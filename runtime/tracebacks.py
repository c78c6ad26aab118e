"""Free what the tracebacks of an error keep alive, once it was answered."""


def drop_tracebacks(error: BaseException) -> None:
    """Drop the tracebacks of an error that was answered and logged, and of all that led to it.

    Their frames hold the request and the record. A frame that has the error in a variable, as those of the
    driver do, would keep them until the garbage collector comes by, which it rarely does.
    """
    waiting, seen = [error], set()
    while waiting:
        here = waiting.pop()
        if id(here) not in seen:
            seen.add(id(here))
            here.__traceback__ = None
            led = (here.__cause__, here.__context__, getattr(here, "cause", None))
            waiting += [one for one in led if isinstance(one, BaseException)]
