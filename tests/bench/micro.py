"""Parts of a request by themselves: filter, token, encoding. Medians in one thread; nothing is asserted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from statistics import median

from corpus import REALM, Corpus, tenant

from generated.record_types import SHIPMENT
from runtime.filter import compile_filter
from runtime.permissions import Question, Rule, RuleSet, decide
from runtime.principal import DomainContext, Identity
from runtime.settings import Settings
from runtime.storage.wire import render_rows, to_json
from runtime.tokens import Tokens

FILTER = 'status:DELIVERED && departsAt:>=2026-03-27 && customer.entityRefName:"CU{:03d}"'
RUNS = 300
RULES = 1000


def measure_parts(settings: Settings) -> list[str]:
    """One line a part; the keys are those of ``settings``."""
    texts = [FILTER.format(number) for number in range(RUNS)]
    compile_filter(FILTER.format(RUNS), SHIPMENT)  # the grammar is built at the first
    compiled = _each(partial(compile_filter, text, SHIPMENT) for text in texts)
    kept = _each([partial(compile_filter, texts[-1], SHIPMENT)] * RUNS)
    tokens = Tokens(settings)
    whose = Identity(tenant(0), tenant(0), REALM, frozenset({"user"}), DomainContext(tenant(0), REALM))
    minted = [tokens.mint_access(whose) for _token in range(RUNS)]
    verified = _each(partial(tokens.verify_access, token) for token in minted)
    known = _each([partial(tokens.verify_access, minted[-1])] * RUNS)
    rows = Corpus(0).sample(tenant(0), 50)
    encoded = _each([lambda: to_json({"rows": render_rows(rows)})] * RUNS)
    return [
        f"filter of three clauses: {compiled:.0f} µs compiled anew, {kept:.2f} µs from the cache",
        f"access token: {verified:.0f} µs verified anew, {known:.2f} µs from the cache",
        _decisions(),
        f"50 documents as JSON: {encoded:.0f} µs",
    ]


def _decisions() -> str:
    rules = RuleSet(map(_rule, range(RULES)))
    asked = Question(
        "", frozenset({"user", "role-7"}), SHIPMENT.area, SHIPMENT.domain, "VIEW", REALM, tenant(0)
    )
    askers = [replace(asked, user_id=f"user-{number}@example.org") for number in range(RUNS)]
    cold = _each(partial(decide, rules, question, _never) for question in askers)
    warm = _each(partial(decide, rules, question, _never) for question in askers)
    return f"permission by {RULES:,} rules: {cold:.0f} µs at first, {warm:.1f} µs from then on"


def _rule(number: int) -> Rule:
    """One for everybody, behind all others; those of roles and users, exact and by pattern, in turn."""
    if not number:
        return Rule("everybody")
    name = number % 4
    identity = (f"role-{number % 50}", f"user-{number}@*", f"u*-{number}@*.org", f"user-{number}@example.org")
    return Rule(
        f"rule-{number}", priority=20, identity=identity[name], area="log*", filter="status:DELIVERED"
    )


def _never(_rule: Rule) -> bool:
    return False


def _each(runs: Iterable[Callable[[], object]]) -> float:
    """The median in microseconds."""
    times = []
    for run in runs:
        started = time.perf_counter_ns()
        run()
        times.append(time.perf_counter_ns() - started)
    return median(times) / 1000
