"""Where the command is entered.

Workers load modules of this package too and run no command: what commands need, which takes longer to load
than a worker's own part, is loaded when one is run.
"""

import atexit
import errno
import os
import sys

_INTERRUPTED = 130
"""The exit code of shells for Ctrl-C, which typer uses once a command runs; other signals get the same."""


def main() -> None:
    """Run the command; the console entry point."""
    try:
        _run()
    except KeyboardInterrupt:  # the libraries of commands take a moment to load
        sys.exit(_INTERRUPTED)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EPIPE):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is written at exit
        if error.errno == errno.ENOSPC:
            sys.stderr.write(f"error[output.unwritable]: the disk is full: {error.strerror}\n")
        sys.exit(1)
    finally:
        # Registered after the libraries' own functions, it is called before them.
        atexit.register(_ignore_interrupts)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:
        from runtime.cli.version import installed_version

        if (output := sys.stdout) is not None:  # None where it was closed
            output.write(f"{installed_version()}\n")
            output.flush()
        return
    _end_in_good_order()
    from runtime.cli.commands import main as run

    run()


def _end_in_good_order() -> None:
    """Let what ends a process end it as Ctrl-C does: a MongoDB that the command has started is stopped.

    What is ignored stays ignored, as under ``nohup``. ``serve`` has handlers of its own.
    """
    import signal
    from types import FrameType

    def interrupt(_number: int, frame: FrameType | None) -> None:
        on_interrupt = signal.getsignal(signal.SIGINT)  # of the event loop, where one runs
        if not callable(on_interrupt):
            raise KeyboardInterrupt
        on_interrupt(signal.SIGINT, frame)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, interrupt)


def _ignore_interrupts() -> None:
    """Let libraries clean up undisturbed: the command has done its work, and printed what came of it."""
    import signal

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN)
