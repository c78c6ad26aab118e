"""Hand-written endpoints of the area goods-in, from specs/goods-in/endpoints.yaml. Written by the generator; do not edit."""

import sample_handlers
from runtime.http import Calling, Json, RecordRouter, admit, nothing

router = RecordRouter(area="goods-in", tags=["goods-in"])


@router.put("/goods-in/stocktaking", operation_id="goodsIn_count")
async def count(call: Calling) -> Json[None]:
    """Begin a stocktaking."""
    admit(call, (), area="goods-in", domain="stocktaking", action="UPDATE")
    await sample_handlers.begin_stocktaking(call)
    return nothing()
