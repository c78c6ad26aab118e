"""What ``doctor`` looks at in the code of the application: whether it can be imported, with its handlers."""

from runtime.cli.findings import Check, Status
from runtime.cli.opening import check_handlers, load_application
from runtime.cli.output import count_things
from runtime.errors import ServiceError
from runtime.handler_loading import HandlerFailed
from runtime.settings import Settings


def check_application(settings: Settings) -> Check:
    """Whether the record types of the application can be loaded, which every command on a store needs."""
    name = "application"
    try:
        application = load_application(settings)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message)
    except Exception as error:
        said = f"service.app {settings.app} cannot be imported: {type(error).__name__}: {error}"
        return Check(name, Status.FAIL, said)
    number = count_things(len(list(application.catalog)), "record type")
    return Check(name, Status.OK, f"{settings.app} has {number}")


def check_endpoints(settings: Settings) -> Check:
    """Whether the function of each hand-written endpoint exists."""
    name = "handlers"
    try:
        number = check_handlers(settings)
    except ServiceError as error:
        return Check(name, Status.FAIL, error.message, "`recordsmith serve` does not start without it")
    except HandlerFailed as error:
        return Check(name, Status.FAIL, str(error), "`recordsmith serve` shows where")
    return Check(
        name, Status.OK, f"{number} functions of endpoints are there" if number else "none are needed"
    )
