"""Limits on requests, answers and connections."""

from typing import Annotated

from pydantic import Field

from runtime.settings.row import Rows, row


class LimitSettings(Rows):
    """Limits on requests, answers and connections."""

    page_size: Annotated[int, Field(ge=1)] = row(
        "limits.page-size", 50, "Rows of a list by default, at most `limits.max-page-size`"
    )
    max_page_size: Annotated[int, Field(ge=1, le=1000)] = row(
        "limits.max-page-size",
        1000,
        "Most rows of a list; a page of large records ends at 16 MB, `nextCursor` leads on",
    )
    max_body_bytes: Annotated[int, Field(ge=1024)] = row(
        "limits.max-body-bytes", 8 * 2**20, "Largest request body that holds records"
    )
    max_body_values: Annotated[int, Field(ge=100)] = row(
        "limits.max-body-values",
        20_000,
        "Most values of such a body (members, list items); of a bulk body five times as many",
    )
    max_small_body_bytes: Annotated[int, Field(ge=1024)] = row(
        "limits.max-small-body-bytes", 64 * 2**10, "Largest body of all other requests, such as a login"
    )
    max_upload_bytes: Annotated[int, Field(ge=1024)] = row(
        "limits.max-upload-bytes", 256 * 2**20, "Largest uploaded file"
    )
    max_bulk_operations: Annotated[int, Field(ge=1)] = row(
        "limits.max-bulk-operations", 1000, "Most operations of one bulk call"
    )
    expand_depth: Annotated[int, Field(ge=1, le=8)] = row(
        "limits.expand-depth", 4, "Most references that a path of `expand` follows one after the other"
    )
    expanded_records: Annotated[int, Field(ge=1, le=100_000)] = row(
        "limits.expanded-records", 10_000, "Most references that one answer replaces by records"
    )
    requests_in_store: Annotated[int, Field(ge=1, le=1000)] = row(
        "limits.requests-in-store",
        48,
        "Most requests of one worker that use the store at once; fewer while it is slow",
    )
    queue_ms: Annotated[int, Field(ge=0, le=60_000)] = row(
        "limits.queue-ms", 1000, "How long a request waits for its turn before it is refused (503)"
    )
    requests_per_user: Annotated[int, Field(ge=0)] = row(
        "limits.requests-per-user", 0, "Most requests of one user in the window, at all workers; 0: unlimited"
    )
    requests_per_tenant: Annotated[int, Field(ge=0)] = row(
        "limits.requests-per-tenant", 0, "The same for all users of one tenant"
    )
    requests_window: Annotated[int, Field(ge=1, le=86400)] = row(
        "limits.requests-window-seconds", 60, "How long such a window lasts"
    )
    transfers: Annotated[int, Field(ge=1)] = row(
        "limits.transfers", 64, "Most imports, exports and progress streams of one worker at once"
    )
    transfers_per_user: Annotated[int, Field(ge=1)] = row(
        "limits.transfers-per-user", 16, "The same for one user"
    )
    watchers: Annotated[int, Field(ge=1)] = row(
        "limits.watchers", 500, "Most event streams of one worker at once; see also limits.connections"
    )
    watchers_per_user: Annotated[int, Field(ge=1)] = row(
        "limits.watchers-per-user", 64, "The same for one user"
    )
    import_lease_seconds: Annotated[int, Field(ge=1, le=60)] = row(
        "limits.import-lease-seconds",
        30,
        "How long an import may show no sign of the worker that reads its file, until it is discarded",
    )
    head_bytes: Annotated[int, Field(ge=4096, le=2**20)] = row(
        "limits.head-bytes", 65536, "Most bytes of a URL, its headers and trailers together"
    )
    head_seconds: Annotated[float, Field(gt=0, le=600)] = row(
        "limits.head-seconds", 10.0, "Longest time in which a request head arrives"
    )
    body_rate: Annotated[int, Field(ge=1)] = row(
        "limits.body-bytes-per-second", 1024, "Least rate at which a request body arrives"
    )
    read_rate: Annotated[int, Field(ge=1)] = row(
        "limits.read-bytes-per-second", 4096, "Least rate at which an answer is read, over half a minute"
    )
    connections: Annotated[int, Field(ge=1)] = row(
        "limits.connections", 1000, "Most connections of one worker; more are answered 503"
    )
    idle_seconds: Annotated[int, Field(ge=1, le=3600)] = row(
        "limits.idle-seconds", 75, "How long a connection stays open between two requests"
    )
