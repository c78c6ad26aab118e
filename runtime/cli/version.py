"""The version of this package."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Return the version of the package, or how it runs without one."""
    try:
        return version("recordsmith")
    except PackageNotFoundError:
        return "not installed as a package: run from its folder"
