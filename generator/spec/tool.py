"""``tools:`` named MCP tools."""

from pydantic import Field

from generator.spec.field import Fields
from generator.spec.strict import RecordName, Spec, StructureName, needed, word

DEEDS = ("query", "count", "save", "transition", "call")


class ToolSpec(Spec):
    """A named tool: one deed on one target, with typed arguments."""

    name: str = needed("The name agents call it by, in snake_case.")
    description: str = needed("What it does and when to use it; agents read this.")
    query: RecordName | None = word("List records of this type.")
    count: RecordName | None = word("Count records of this type.")
    save: RecordName | None = word("Save a record of this type.")
    transition: RecordName | None = word("Move the state field of a record of this type.")
    call: str | None = word(
        "Call the endpoint with this operation id, which has the arguments; or server/tool elsewhere."
    )
    run: str | None = word('Only for tools of the service itself: the function, "package.module:function".')
    request: StructureName | None = word("run: the structure of its arguments.")
    response: StructureName | None = word("run: the structure of its answer.")
    read_only: bool = word("run: it changes nothing.", default=False, alias="readOnly")
    destructive: bool = word("run: what was there may be gone.", default=False)
    filter: str | None = word("query, count: a filter; ${argument} stands for the value of an argument.")
    sort: str | None = word("query: the order.")
    projection: str | None = word("query: the members of each row.")
    limit: int | None = word("query: most rows.")
    field: str | None = word("transition: the state field.")
    to: str | None = word("transition: the state to go to. Default: the argument of this name.")
    arguments: Fields = word("Arguments by name, typed like fields.", default={})


class ToolsSpec(Spec):
    """The tools of an area."""

    tools: list[ToolSpec] = Field(min_length=1, description="Named tools.")
