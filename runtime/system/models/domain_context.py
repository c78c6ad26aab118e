"""DomainContext, from runtime/system/specs/security/domain_context.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class DomainContext(Strict):
    """Where a user belongs. Each member that is present limits what the user reads and writes."""

    tenant_id: Annotated[str, Field(max_length=200, min_length=1, description="The tenant.")]
    default_realm: Annotated[
        str, Field(max_length=38, description="The realm (database) that the user's calls act in by default.")
    ]
    org_ref_name: Annotated[
        str | None, Field(max_length=200, description="The organisation within the tenant.")
    ] = None
    account_id: Annotated[
        str | None, Field(max_length=200, description="The account within the organisation.")
    ] = None
    data_segment: Annotated[
        int | None, Field(description="A number that separates records within the tenant.")
    ] = None
