"""Routes of Delivery at /goods-in/deliveries, from specs/goods-in/delivery.yaml. Written by the generator; do not edit."""

from runtime import records
from runtime.http import (
    Calling,
    Count,
    CountQuery,
    Expand,
    IfNoneMatch,
    Json,
    ListQuery,
    Page,
    RecordId,
    RecordRouter,
    WriteTerms,
)
from sample_generated.models.delivery import Delivery, DeliveryInput
from sample_generated.record_types import DELIVERY

router = RecordRouter(area="goods-in", prefix="/goods-in/deliveries", records=DELIVERY, tags=["Delivery"])


@router.get("/list", operation_id="delivery_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Delivery]]:
    """List deliveries."""
    return await records.list_records(call, DELIVERY, query)


@router.get("/count", operation_id="delivery_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count deliveries."""
    return await records.count_records(call, DELIVERY, query)


@router.get("/id/{id}", operation_id="delivery_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Delivery]:
    """Get a delivery by id."""
    return await records.get_by_id(call, DELIVERY, record_id, unless, expand)


@router.post("", operation_id="delivery_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: DeliveryInput, terms: WriteTerms) -> Json[Delivery]:
    """Insert or replace a delivery."""
    return await records.save(call, DELIVERY, body, terms)
