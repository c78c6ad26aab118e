"""``recordsmith explain``: whether a user may do something and why, or why it was refused.

Ends with 0 where it is allowed and 1 where it is denied, so that scripts can ask as well; with 2 where the
question names what does not exist.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.output import CommandFailed, ExitCode, print_table
from runtime.errors import RequestError
from runtime.explain.explanations import explain_refusal, explain_user
from runtime.explain.viewpoint import Viewpoint

Explained = Mapping[str, Any]


def explain(
    user: Annotated[str | None, typer.Option("--user", help="The user id.")] = None,
    area: Annotated[str | None, typer.Option("--area", help="The functional area.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", help="The functional domain.")] = None,
    action: Annotated[str | None, typer.Option("--action", help="VIEW, CREATE, UPDATE, DELETE …")] = None,
    resource: Annotated[str | None, typer.Option("--resource", help="The id or refName of a record.")] = None,
    decision: Annotated[
        str | None, typer.Option("--decision", help="Explain a refusal by its decisionId instead.")
    ] = None,
    *,
    local: InRealm,
) -> None:
    """Explain whether a user may do something, and which permission rules decide it.

    Exit code 0: allowed (for some records, where none is named). 1: denied. 2: the question names
    what does not exist.
    """
    if decision is None:
        question = _read_question(user, area, domain, action)
    elif any((user, area, domain, action, resource)):
        raise CommandFailed("explain.usage", "--decision can only be combined with --realm", ExitCode.USAGE)

    async def work(service: Service, realm: str) -> Explained:
        viewpoint = await Viewpoint.open_for_operator(service, realm)
        if decision is not None:
            return await explain_refusal(viewpoint, decision)
        return await explain_user(viewpoint, question[0], question[1:], resource)

    try:
        answer = local.with_realm(work)
    except RequestError as error:
        raise CommandFailed(error.code, error.message, ExitCode.USAGE) from error
    local.report(answer, lambda out: _show_refusal(out, answer) if decision else _show_answer(out, answer))
    if not _is_allowed(answer):
        raise typer.Exit(ExitCode.FAILED)


def _read_question(*options: str | None) -> tuple[str, str, str, str]:
    names = ("--user", "--area", "--domain", "--action")
    missing = [name for name, value in zip(names, options, strict=True) if not value]
    if missing:
        raise CommandFailed("explain.usage", f"pass {', '.join(missing)}", ExitCode.USAGE)
    user, area, domain, action = (value or "" for value in options)
    return user, area, domain, action


def _is_allowed(answer: Explained) -> bool:
    return answer["decision"] == "ALLOW" if "decision" in answer else answer.get("stillDenied") is False


def _show_answer(out: Console, answer: Explained) -> None:
    question = answer["asked"]
    on = f" {question['resource']}" if "resource" in question else ""
    who = f"{question['identity']} ({', '.join(question['roles']) or 'no role'}) in realm {question['realm']}"
    what = f"{question['action']} {question['area']}/{question['functionalDomain']}{on}"
    out.print(f"{answer['decision']}  {who}: {what}")
    _show_reasons(out, answer)
    scope = ", ".join(f"{name} {value}" for name, value in question["scope"].items())
    out.print(f"  records of: {scope or 'every tenant'}")
    for turn in answer.get("addedFilter", ()):
        out.print(f"  {turn['effect']} {_records(turn)}")
    if answer["hiddenFields"]:
        out.print(f"  hidden: {', '.join(answer['hiddenFields'])}")
    _show_rules(out, answer["rules"])


def _show_refusal(out: Console, answer: Explained) -> None:
    moment = answer["decidedAt"].isoformat(timespec="seconds")
    who = f"{answer['userId']} ({', '.join(answer['roles']) or 'no role'}) in realm {answer['realm']}"
    out.print(f"refused  {who} at {moment}, request {answer['requestId']}")
    out.print(f"  {answer['reason']}")
    if "area" in answer:
        on = f" {answer['resource']}" if "resource" in answer else ""
        out.print(f"  {answer['action']} {answer['area']}/{answer['functionalDomain']}{on}")
        out.print(f"  rules then: {', '.join(answer['appliedRules']) or 'none applied'}")
    now = {True: "still denied", False: "allowed by now", None: "undecided: it depends on the record"}
    out.print(now[answer.get("stillDenied")])
    _show_reasons(out, answer)
    _show_rules(out, answer["rules"])


def _show_reasons(out: Console, answer: Explained) -> None:
    for reason in answer["reasons"]:
        out.print(f"  {reason}")


def _records(turn: Explained) -> str:
    parts = [turn[name] for name in ("filter", "resourceId") if name in turn]
    return f"where {' and '.join(parts)}" if parts else "the others"


def _show_rules(out: Console, rules: list[Explained]) -> None:
    if rules:
        print_table(out, ("", "priority", "rule", "effect", "says"), map(_list_cells, rules))


def _list_cells(line: Explained) -> list[str]:
    rule = line["rule"]
    effect = f"{rule['effect']}, final" if rule["finalRule"] else rule["effect"]
    return [_mark(line), str(rule["priority"]), rule["name"], effect, _says(line)]


def _mark(line: Explained) -> str:
    return "=>" if line["decided"] else "+" if line["applied"] else ""


def _says(line: Explained) -> str:
    if line["why"]:
        return "; ".join(line["why"])
    if not line["applied"]:
        return "comes after a final rule"
    if line.get("someRecords"):
        return f"of records {_records(_resource_of(line['rule']))}"
    return "decides" if line["decided"] else "applies"


def _resource_of(rule: Explained) -> Explained:
    body = {name: value for name, value in rule["securityURI"]["body"].items() if name == "resourceId"}
    return body | ({"filter": rule["filter"]} if "filter" in rule else {})
