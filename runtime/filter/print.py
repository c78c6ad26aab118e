"""Tree → text, in one spelling: ``parse_filter(print_filter(tree)) == tree`` for every tree.

Bare text that could not be read back bare is put in quotes; only a tree made by hand holds such.
"""

import re

from runtime.filter.quoted import spell_path
from runtime.filter.syntax import (
    And,
    Compare,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    Filter,
    HasEdge,
    InList,
    Not,
    Or,
    RelationBlock,
    TextSearch,
)
from runtime.filter.syntax_literals import Literal, Number, OtherField, ReferenceId, Text, Variable
from runtime.model.attribute_names import quote_text

_BARE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9:.+\-Zz]*"
    r"|[^\s\x00-\x1f\x7f:,()\[\]{}\"&\\|!$#~<>^=]+(?:[ \t]+[^\s\x00-\x1f\x7f:,()\[\]{}\"&\\|!$#~<>^=]+)*"
)


def print_filter(tree: Filter | Expression) -> str:
    """Print the filter as text."""
    return _print(tree.expression if isinstance(tree, Filter) else tree)


def _print(node: Expression) -> str:
    match node:
        case Compare():
            return f"{spell_path(node.path)}{node.operator}{_literal(node.value)}"
        case InList():
            return f"{spell_path(node.path)}{':!^' if node.negated else ':^'}{_items(node.items)}"
        case Exists():
            return f"{spell_path(node.path)}:~"
        case ElementMatch() | EveryElement():
            every = "every" if isinstance(node, EveryElement) else ""
            return f"{spell_path(node.path)}:{every}{{{_print(node.inner)}}}"
        case RelationBlock():
            return f"{node.path}{{{_print(node.where)}}}"
        case TextSearch():
            return f"text({_search(node)})"
        case HasEdge():
            return f"{node.kind}({quote_text(node.predicate)}, {_literal(node.target)})"
        case And() | Or() | Not():
            return _print_operands(node)


def _print_operands(node: And | Or | Not) -> str:
    if isinstance(node, Not):
        return f"!!{_print_grouped(node.operand, And, Or)}"
    if isinstance(node, Or):
        return " || ".join(map(_print, node.operands))
    return " && ".join(_print_grouped(operand, Or) for operand in node.operands)


def _search(node: TextSearch) -> str:
    first, *others = node.prefixes or ("",)
    if not first:
        return quote_text(node.words)
    words = f"{node.words} {first}" if node.words else first
    return "".join(f"{quote_text(one)}*" for one in (words, *(f" {other}" for other in others)))


def _items(items: tuple[Literal, ...] | Variable) -> str:
    return _literal(items) if isinstance(items, Variable) else f"[{','.join(map(_literal, items))}]"


def _print_grouped(node: Expression, *weaker: type[And] | type[Or]) -> str:
    return f"({_print(node)})" if isinstance(node, weaker) else _print(node)


def _literal(literal: Literal) -> str:
    match literal:
        case Text() if literal.wild:
            return _print_mixed(literal) + ("~ci" if literal.ignore_case else "")
        case Text():
            is_bare = not literal.quoted and _BARE.fullmatch(literal.text)
            return (literal.text if is_bare else quote_text(literal.text)) + (
                "~ci" if literal.ignore_case else ""
            )
        case Number():
            return literal.text
        case ReferenceId():
            return f"@@{literal.id}"
        case Variable():
            return f"${{{literal.name}}}"
        case OtherField():
            return f"${spell_path(literal.path)}"


def _print_mixed(literal: Text) -> str:
    """Print wildcards as they are, and what is between them in quotes."""
    spelled, run = "", ""
    for at, sign in enumerate(literal.text):
        if at not in literal.wild:
            run += sign
            continue
        spelled += (quote_text(run) if run else "") + sign
        run = ""
    return spelled + (quote_text(run) if run or '"' not in spelled else "")
