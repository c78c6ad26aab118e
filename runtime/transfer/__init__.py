"""CSV in and out (spec 2 §2.7–2.10, §4.3–4.4)."""

from runtime.transfer.by_profile import open_profile_session
from runtime.transfer.committing import commit_session
from runtime.transfer.direct import import_csv
from runtime.transfer.error_file import export_errors
from runtime.transfer.export import export_csv
from runtime.transfer.opening import open_session
from runtime.transfer.session_routes import (
    discard_session,
    follow_progress,
    list_rows,
)

__all__ = [
    "commit_session",
    "discard_session",
    "export_csv",
    "export_errors",
    "follow_progress",
    "import_csv",
    "list_rows",
    "open_profile_session",
    "open_session",
]
