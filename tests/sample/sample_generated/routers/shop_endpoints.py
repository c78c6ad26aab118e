"""Hand-written endpoints of the area shop, from specs/shop/endpoints.yaml. Written by the generator; do not edit."""

from typing import Annotated

from fastapi import Form, Header, Path, Query
from pydantic import Field

import sample_handlers
from runtime.http import (
    Anonymous,
    Calling,
    Json,
    KeyTerms,
    Parameters,
    RecordRouter,
    admit,
    answer,
    nothing,
    share_key,
)
from runtime.model.record import LocalDate, ObjectIdText
from sample_generated.models.greeting import Greeting
from sample_generated.models.greeting_request import GreetingRequest
from sample_generated.models.visit_request import VisitRequest

router = RecordRouter(area="shop", tags=["shop"])


@router.get("/shop/visit", operation_id="shop_ask", errors="page")
async def ask(
    call: Anonymous,
    body: Annotated[Parameters[VisitRequest], Query()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
) -> Json[None]:
    """Show the visiting form."""
    return await sample_handlers.show_visit(call, body, cookie=cookie)


@router.get("/shop/opening", operation_id="shop_opening")
async def opening(call: Anonymous) -> Json[Greeting]:
    """When the shop is open."""
    return answer(Greeting, await sample_handlers.opening(call))


@router.post("/shop/visitors", operation_id="shop_register", errors="oauth")
async def register(call: Anonymous, body: VisitRequest) -> Json[Greeting]:
    """Register a visitor."""
    return answer(Greeting, await sample_handlers.register_visitor(call, body), status=201)


@router.post("/shop/visit", operation_id="shop_visit", errors="page")
async def visit(
    call: Anonymous,
    body: Annotated[Parameters[VisitRequest], Form()],
    cookie: Annotated[str | None, Header(alias="Cookie")] = None,
) -> Json[None]:
    """Send the visiting form."""
    return await sample_handlers.accept_visit(call, body, cookie=cookie)


@router.delete("/shop/greet/{id}", operation_id="shop_forget", terms="terms")
async def forget(
    call: Calling, terms: KeyTerms, id_: Annotated[ObjectIdText, Path(alias="id")]
) -> Json[None]:
    """Forget a greeting."""
    admit(call, (), area="shop", domain="greet", action="DELETE")
    await sample_handlers.forget(share_key(call), id_=id_)
    return nothing()


@router.post("/shop/greet/{id}", operation_id="shop_greet")
async def greet(
    call: Calling,
    body: GreetingRequest,
    id_: Annotated[ObjectIdText, Path(alias="id")],
    times: Annotated[int, Field(ge=1, le=9), Query(alias="times")] = 1,
    since: Annotated[LocalDate | None, Query(alias="since")] = None,
    x_tone: Annotated[str | None, Header(alias="X-Tone")] = None,
) -> Json[Greeting]:
    """Say hello."""
    admit(call, {"admin", "clerk"}, area="shop", domain="greet", action="CREATE")
    return answer(
        Greeting,
        await sample_handlers.greet(call, body, id_=id_, times=times, since=since, x_tone=x_tone),
        status=201,
    )
