"""Who may call an operation, compared: any one of its requirements is enough."""

from __future__ import annotations

from typing import Any

from generator.evolve.api.documents import Document, Json, as_list, as_object
from generator.evolve.api.recorder import Recorder

Requirement = dict[str, frozenset[str]]


def read_requirements(document: Document, operation: Json) -> list[Requirement]:
    """Read the requirements of an operation, else those of the document; none: it is public."""
    value: Any = operation.get("security", document.value.get("security"))
    return [
        {str(name): frozenset(map(str, as_list(scopes))) for name, scopes in one.items()}
        for one in as_list(value)
        if isinstance(one, dict)
    ]


def compare_security(old: list[Requirement], new: list[Requirement], recorder: Recorder, at: str) -> None:
    """Compare the requirements of an operation. A caller who meets a former one should meet a present one."""
    if _is_public(new):
        if not _is_public(old):
            recorder.report("security-dropped", at, "it is public now")
        return
    if _is_public(old):
        names = sorted({" and ".join(sorted(one)) for one in new})
        recorder.report("security-required", at, f"it was public, needs {' or '.join(names)} now")
        return
    for one in old:
        if not any(_meets(one, other) for other in new):
            _report_unmet(one, new, recorder, at)
    for one in new:
        if not any(_meets(other, one) for other in old):
            if set(one) not in [set(other) for other in old]:
                recorder.report("security-alternative-added", at, f"{_show(one)} is enough now")
        elif one not in old and any(_meets(other, one) and set(other) == set(one) for other in old):
            recorder.report("security-scope-removed", at, f"{_show(one)} is enough now")


def _report_unmet(one: Requirement, new: list[Requirement], recorder: Recorder, at: str) -> None:
    alike = [other for other in new if set(other) == set(one)]
    if alike:
        missing = sorted({scope for name in one for scope in alike[0][name] - one[name]})
        recorder.report("security-scope-added", at, f"{_show(one)} lacks {', '.join(missing)}")
    else:
        recorder.report("security-alternative-removed", at, f"{_show(one)} is no longer enough")


def _is_public(requirements: list[Requirement]) -> bool:
    return not requirements or {} in requirements


def _meets(one: Requirement, other: Requirement) -> bool:
    """Whether a caller who has the first has what the second asks for."""
    return all(name in one and scopes <= one[name] for name, scopes in other.items())


def _show(one: Requirement) -> str:
    return " and ".join(
        f"{name} ({', '.join(sorted(scopes))})" if scopes else name for name, scopes in one.items()
    )


def compare_schemes(old: Document, new: Document, recorder: Recorder) -> None:
    """Compare the ways to authenticate."""
    before, after = (one.section("components", "securitySchemes") for one in (old, new))
    for name in before.keys() | after.keys():
        at = f"security scheme {name}"
        if name not in after or name not in before:
            word = "added" if name in after else "removed"
            recorder.report(f"security-scheme-{word}", at, f"the scheme is {word}")
            continue
        was, is_now = old.follow(before[name])[1], new.follow(after[name])[1]
        for word in ("type", "in", "name", "scheme"):
            if str(was.get(word)).lower() != str(is_now.get(word)).lower():
                recorder.report(
                    "security-scheme-changed", at, f"{word} was {was.get(word)}, is {is_now.get(word)}"
                )
        if was.get("openIdConnectUrl") != is_now.get("openIdConnectUrl"):
            recorder.report("security-address-changed", at, "openIdConnectUrl differs")
        _compare_flows(as_object(was.get("flows")), as_object(is_now.get("flows")), recorder, at)


def _compare_flows(old: Json, new: Json, recorder: Recorder, at: str) -> None:
    for flow in old.keys() | new.keys():
        if flow not in new or flow not in old:
            word = "added" if flow in new else "removed"
            recorder.report(f"security-flow-{word}", f"{at} {flow}", f"the flow is {word}")
            continue
        was, is_now = as_object(old[flow]), as_object(new[flow])
        for word in ("authorizationUrl", "tokenUrl", "refreshUrl"):
            if was.get(word) != is_now.get(word):
                recorder.report("security-address-changed", f"{at} {flow}", f"{word} differs")
        before, after = as_object(was.get("scopes")), as_object(is_now.get("scopes"))
        for scope in before.keys() - after.keys():
            recorder.report("security-scope-gone", f"{at} {flow}", f"{scope} can no longer be requested")
        for scope in after.keys() - before.keys():
            recorder.report("security-scope-new", f"{at} {flow}", f"{scope} can be requested")
