"""The version of this package."""

from importlib.metadata import PackageNotFoundError, version


def find_version() -> str | None:
    """Return the version of the package; None where it runs without one."""
    try:
        return version("recordsmith")
    except PackageNotFoundError:
        return None


def installed_version() -> str:
    """Return the version of the package, or how it runs without one."""
    return find_version() or "not installed as a package: run from its folder"
