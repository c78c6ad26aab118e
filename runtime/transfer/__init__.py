"""CSV import and export."""

from runtime.transfer.direct import import_csv
from runtime.transfer.export import export_csv
from runtime.transfer.importing.analyze import require_import_permission
from runtime.transfer.sessions.by_profile import open_profile_session
from runtime.transfer.sessions.committing import commit_session
from runtime.transfer.sessions.error_file import export_errors
from runtime.transfer.sessions.opening import open_session
from runtime.transfer.sessions.session_routes import (
    discard_session,
    end_session,
    follow_progress,
    list_rows,
)

__all__ = [
    "commit_session",
    "discard_session",
    "end_session",
    "export_csv",
    "export_errors",
    "follow_progress",
    "import_csv",
    "list_rows",
    "open_profile_session",
    "open_session",
    "require_import_permission",
]
