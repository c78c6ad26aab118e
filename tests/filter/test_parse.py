"""Text → tree: every row of the filter language that is about spelling."""

from __future__ import annotations

import pytest

from runtime.errors import FilterSyntax
from runtime.filter import parse_filter, parse_query
from runtime.filter.limits import MAX_BYTES, MAX_ITEMS, MAX_NESTING, MAX_PARTS
from runtime.filter.syntax import (
    And,
    Compare,
    EdgeKind,
    ElementMatch,
    EveryElement,
    Exists,
    Expansion,
    Expression,
    FieldMark,
    HasEdge,
    InList,
    Not,
    Operator,
    Or,
    RelationBlock,
    TextSearch,
)
from runtime.filter.syntax_literals import Number, OtherField, ReferenceId, Text, Variable
from tests.filter.sample import OID


def eq(path: str, text: str) -> Compare:
    return Compare(path, Operator.EQUAL, Text(text))


def glob(text: str, *wild: int) -> Compare:
    return Compare("name", Operator.EQUAL, Text(text, True, wild=frozenset(wild)))


def nest(path: str, where: Expression) -> RelationBlock:
    return RelationBlock(path, where)


A, B, C, D = eq("a", "1"), eq("b", "2"), eq("c", "3"), eq("d", "4")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param("a:1", A, id="equals"),
        pytest.param("a:!x", Compare("a", Operator.NOT_EQUAL, Text("x")), id="not equals"),
        pytest.param("a:<5", Compare("a", Operator.LESS, Text("5")), id="less"),
        pytest.param("a:<=5", Compare("a", Operator.LESS_OR_EQUAL, Text("5")), id="less or equal"),
        pytest.param("a:>5", Compare("a", Operator.GREATER, Text("5")), id="greater"),
        pytest.param("a:>=5", Compare("a", Operator.GREATER_OR_EQUAL, Text("5")), id="greater or equal"),
        pytest.param("a:~", Exists("a"), id="exists"),
        pytest.param("!!a:~", Not(Exists("a")), id="does not exist"),
        pytest.param("a:^[x,y]", InList("a", (Text("x"), Text("y"))), id="in"),
        pytest.param("a:!^[x]", InList("a", (Text("x"),), negated=True), id="not in"),
        pytest.param("a:^[]", InList("a", ()), id="in an empty list"),
        pytest.param(
            'a:^[ x y , "p,q]" ]', InList("a", (Text("x y"), Text("p,q]", True))), id="blanks in a list"
        ),
        pytest.param("a:^${roles}", InList("a", Variable("roles")), id="list variable"),
        pytest.param("a:!^${roles}", InList("a", Variable("roles"), negated=True), id="not in list variable"),
        pytest.param("a:{b:2 && c:3}", ElementMatch("a", And((B, C))), id="element match"),
        pytest.param("a{b:2}", RelationBlock("a", B), id="relation block"),
        pytest.param("a { b:2 || c:3 }", RelationBlock("a", Or((B, C))), id="blanks in a block"),
        pytest.param("!!a{b:2} || c:3", Or((Not(RelationBlock("a", B)), C)), id="a block negated, in an or"),
        pytest.param("a:{b{c:3}}", ElementMatch("a", RelationBlock("b", C)), id="a block about an element"),
        pytest.param("a{b{c{d:4}}}", nest("a", nest("b", nest("c", D))), id="three blocks deep"),
        pytest.param("a.b[*].c{d:4}", nest("a.b.c", D), id="a list marked in the path of a block"),
        pytest.param("a:every{b:2 && c:3}", EveryElement("a", And((B, C))), id="every element"),
        pytest.param("a : every { b:2 }", EveryElement("a", B), id="every element, with blanks"),
        pytest.param(
            "a:every{b:2} && b:every", And((EveryElement("a", B), eq("b", "every"))), id="every is a word too"
        ),
        pytest.param(
            "!!every:every{every:1}", Not(EveryElement("every", eq("every", "1"))), id="every every"
        ),
        pytest.param("a.b.c:1", eq("a.b.c", "1"), id="dotted path"),
        pytest.param(" a : 1 ", A, id="blanks around tokens"),
        pytest.param("a:1\n  && b:2", And((A, B)), id="line breaks between tokens"),
        pytest.param("a:#10", Compare("a", Operator.EQUAL, Number("#10")), id="whole number"),
        pytest.param("a:>##-1.5e3", Compare("a", Operator.GREATER, Number("##-1.5e3")), id="decimal"),
        pytest.param(f"a:@@{OID.upper()}", Compare("a", Operator.EQUAL, ReferenceId(OID)), id="reference"),
        pytest.param("a:@@home", eq("a", "@@home"), id="two at signs are text"),
        pytest.param("a:${ownerId}", Compare("a", Operator.EQUAL, Variable("ownerId")), id="variable"),
        pytest.param("a:<$b.c", Compare("a", Operator.LESS, OtherField("b.c")), id="another field"),
        pytest.param(
            'a:!$b."x y" && c:3',
            And((Compare("a", Operator.NOT_EQUAL, OtherField("b.x y")), C)),
            id="another field with a step in quotes",
        ),
        pytest.param('a:"$b"', Compare("a", Operator.EQUAL, Text("$b", True)), id="quoted, it is text"),
        pytest.param(
            'a:"${ownerId}"', Compare("a", Operator.EQUAL, Text("${ownerId}", True)), id="quoted variable"
        ),
        pytest.param("a:2026-03-27T04:12:14.118Z", eq("a", "2026-03-27T04:12:14.118Z"), id="date-time"),
        pytest.param("a:2026-03-27T04:12+02:00", eq("a", "2026-03-27T04:12+02:00"), id="date-time, offset"),
        pytest.param("name:John Smith", eq("name", "John Smith"), id="inner blanks"),
        pytest.param("name:Зоя Ω-3/x_y.z@q'+%;", eq("name", "Зоя Ω-3/x_y.z@q'+%;"), id="bare characters"),
        pytest.param("name:हिन्दी", eq("name", "हिन्दी"), id="combining marks are letters too"),
        pytest.param('name:""', Compare("name", Operator.EQUAL, Text("", True)), id="empty quotes"),
        pytest.param(
            r'name:"a ""b"" \n:("', Compare("name", Operator.EQUAL, Text(r'a "b" \n:(', True)), id="quotes"
        ),
        pytest.param("name:J*n ?", eq("name", "J*n ?"), id="wildcards"),
        pytest.param(
            "name:jo~ci", Compare("name", Operator.EQUAL, Text("jo", False, True)), id="ignoring case"
        ),
        pytest.param(
            'name:"jo"~ci', Compare("name", Operator.EQUAL, Text("jo", True, True)), id="quoted, ~ci"
        ),
        pytest.param("name:jo~cs", eq("name", "jo"), id="~cs is the default"),
        pytest.param('name:"Smith & "*', glob("Smith & *", 8), id="quotes before a wildcard"),
        pytest.param('name:*"://"*', glob("*://*", 0, 4), id="quotes between wildcards"),
        pytest.param('name:J?n*"*""?"', glob('J?n**"?', 1, 3), id="signs in quotes are no wildcards"),
        pytest.param('name:"a"*"b"?"c"', glob("a*b?c", 1, 3), id="several quotes"),
        pytest.param(
            'name:^[*"a,b"*,c*]',
            InList("name", (Text("*a,b*", True, wild=frozenset({0, 4})), Text("c*"))),
            id="quotes beside wildcards in a list",
        ),
        pytest.param('a."b c".d:1', eq("a.b c.d", "1"), id="a step in quotes"),
        pytest.param('a."x:""y"" && z":1', eq('a.x:"y" && z', "1"), id="punctuation in a step"),
        pytest.param('"a" : 1', A, id="a name in quotes"),
        pytest.param('a:{"b c":2}', ElementMatch("a", eq("b c", "2")), id="a key in an element match"),
        pytest.param('a."b c":^[1]', InList("a.b c", (Text("1"),)), id="a list behind a quoted step"),
        pytest.param("a:1&&b:2", And((A, B)), id="and"),
        pytest.param("a:1||b:2", Or((A, B)), id="or"),
        pytest.param("a:1 && b:2 || c:3", Or((And((A, B)), C)), id="and binds more than or"),
        pytest.param("a:1 || b:2 && c:3", Or((A, And((B, C)))), id="or binds less than and"),
        pytest.param("!!a:1 && b:2", And((Not(A), B)), id="not binds most"),
        pytest.param("!!(a:1 && b:2)", Not(And((A, B))), id="not of a group"),
        pytest.param("!!!!a:1", A, id="not of not"),
        pytest.param("(a:1 || b:2) && (c:3 || d:4)", And((Or((A, B)), Or((C, D)))), id="groups"),
        pytest.param("(a:1 && b:2) && c:3", And((A, B, C)), id="one and of three"),
        pytest.param("a:1 || (b:2 || c:3)", Or((A, B, C)), id="one or of three"),
        pytest.param("((((a:1))))", A, id="nested groups"),
        pytest.param('text("red shoes")', TextSearch("red shoes"), id="text search"),
        pytest.param("text(sho*)", TextSearch("", ("sho",)), id="text search for the beginning of a word"),
        pytest.param("text(red  sho* blu* old)", TextSearch("red old", ("sho", "blu")), id="and other words"),
        pytest.param('text("red-sho"*)', TextSearch("", ("red-sho",)), id="a beginning in quotes"),
        pytest.param('text("red sho"*)', TextSearch("red", ("sho",)), id="behind a word in quotes"),
        pytest.param('text("sho*")', TextSearch("sho*"), id="in quotes a star is itself"),
        pytest.param(
            'text("""red shoes"" -old blu"*)', TextSearch('"red shoes" -old', ("blu",)), id="behind a phrase"
        ),
        pytest.param(f"hasEdge(ownedBy, {OID})", HasEdge(EdgeKind.ANY, "ownedBy", Text(OID)), id="edge"),
        pytest.param(
            "hasOutgoingEdge(p, ${x})", HasEdge(EdgeKind.OUTGOING, "p", Variable("x")), id="outgoing edge"
        ),
        pytest.param(
            f"hasIncomingEdge(p, @@{OID})",
            HasEdge(EdgeKind.INCOMING, "p", ReferenceId(OID)),
            id="incoming edge",
        ),
        pytest.param(
            "text:x && hasEdge:y", And((eq("text", "x"), eq("hasEdge", "y"))), id="words are no keywords"
        ),
        pytest.param(
            "true:null && fields:5", And((eq("true", "null"), eq("fields", "5"))), id="any field name"
        ),
    ],
)
def test_text_reads_as_tree(text: str, tree: Expression) -> None:
    assert parse_filter(text).expression == tree


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        pytest.param("", 1, "the filter is empty: write field:value", id="empty"),
        pytest.param("  \n", 1, "the filter is empty", id="blank"),
        pytest.param(
            "status", 1, "status is not a condition: follow the field name with a colon", id="no colon"
        ),
        pytest.param("status:", 8, "ends too early", id="no value"),
        pytest.param("a:1 &&", 7, "ends too early", id="nothing after and"),
        pytest.param("(a:1", 5, "ends too early: ) or || is missing", id="group not closed"),
        pytest.param("a:1)", 4, "there is no ( for this )", id="group not opened"),
        pytest.param("name)", 5, "there is no ( for this )", id="no colon in a group that is not opened"),
        pytest.param("a:1 && (name )", 9, "name is not a condition: follow", id="no colon in a group"),
        pytest.param("a:{name}", 4, "name is not a condition: follow", id="no colon in an element match"),
        pytest.param("(text())", 7, 'unexpected ): text takes words, as in text("', id="no words"),
        pytest.param("text (", 7, 'too early: text takes words, as in text("', id="no words and not closed"),
        pytest.param(
            "hasEdge(partOf)",
            15,
            "unexpected ): hasEdge takes a predicate and an id, as in hasEdge(partOf, <id>)",
            id="no id",
        ),
        pytest.param("hasEdge(partOf", 15, "hasEdge(partOf, <id>)", id="no id and not closed"),
        pytest.param(
            "a:1 && hasIncomingEdge ( x,)", 28, "hasIncomingEdge(x, <id>)", id="no id after the comma"
        ),
        pytest.param("hasEdge()", 9, "hasEdge(predicate, <id>)", id="neither predicate nor id"),
        pytest.param("hasEdge(a, 1))", 14, "there is no ( for this )", id="group not opened after hasEdge"),
        pytest.param("a=5", 2, "equality is field:value", id="equals sign"),
        pytest.param("a:=5", 3, "equality is field:value", id="equals sign after the colon"),
        pytest.param("a > 5", 3, "an ordering is written field:>value", id="ordering without colon"),
        pytest.param("a:1 & b:2", 5, "join conditions with &&", id="one ampersand"),
        pytest.param("a:1 | b:2", 5, "join conditions with ||", id="one bar"),
        pytest.param("a:1 &&& b:2", 7, "join conditions with &&", id="three ampersands"),
        pytest.param("&& a:1", 1, "a condition comes before &&", id="nothing before and"),
        pytest.param("a:1 && || b:2", 8, "a condition comes before ||", id="two joints"),
        pytest.param("a && b:2", 1, "a is not a condition: follow", id="no colon before and"),
        pytest.param("not a:1", 1, "negated with !!, as in !!field:value", id="not"),
        pytest.param("a:1 && NOT (b:2)", 8, "negated with !!", id="NOT before a group"),
        pytest.param("a[0].b:1", 2, "leave out [0]: a condition on a list", id="a position"),
        pytest.param("a:1 || b.c[*].d:2", 11, "leave out [*]: a condition on a list", id="a mark in a path"),
        pytest.param(
            "a:(b || c)", 3, "unexpected (: one of several values is a list", id="values in a group"
        ),
        pytest.param("a:>(5)", 4, "unexpected (: one of several values", id="a value in parentheses"),
        pytest.param("a:1 (b:2)", 5, "unexpected (: && or || belongs here", id="no joint before a group"),
        pytest.param("a:^[1,2", 8, "the list is not closed: ] is missing", id="list not closed"),
        pytest.param("a:1 AND b:2", 10, "join two conditions with && or ||", id="AND"),
        pytest.param("a:1, b:2", 4, "join two conditions with && or ||", id="a comma between conditions"),
        pytest.param("a:1 b:2", 6, "join two conditions with && or ||", id="no joint"),
        pytest.param("at:10:30", 6, "in double quotes", id="colon in a bare value"),
        pytest.param("!a:1", 1, "negate a value with field:!value", id="single exclamation mark"),
        pytest.param("a:!!1", 4, "negate a value with field:!value", id="two exclamation marks at a value"),
        pytest.param('name:"x', 6, "the double quote is not closed", id="open quote"),
        pytest.param('"a" 1', 1, "a field name is not quoted", id="quoted text alone"),
        pytest.param('a."\ufdd0":1', 1, "has U+FDD0 or U+FDD1, which are reserved", id="a reserved sign"),
        pytest.param("a.b\ufdd0:1", 1, "has U+FDD0 or U+FDD1, which are reserved", id="a bare reserved sign"),
        pytest.param('a.b"c":1', 1, "around a whole step", id="quotes in a step"),
        pytest.param('a."b"c:1', 1, "around a whole step", id="text behind a quoted step"),
        pytest.param('name:x"y"', 7, 'unexpected "', id="quotes behind text without a wildcard"),
        pytest.param('a:"x"y', 6, "unexpected y", id="text after quotes"),
        pytest.param("a:[1,2]", 1, "a list is written a:^[a,b]", id="list without ^"),
        pytest.param("a:^1", 4, "a list has brackets: a:^[a,b]", id="^ without list"),
        pytest.param("a:^[1,,2]", 7, "values between commas", id="empty item"),
        pytest.param("a:^[1 ; 2,]", 11, "values between commas", id="comma at the end"),
        pytest.param('a:^["x" y]', 9, "commas between them", id="no comma"),
        pytest.param("a:!~", 1, "its opposite is !!a:~", id="exists takes no operator"),
        pytest.param("a:!{b:1}", 1, "its opposite is !!a:{…}", id="element match takes no operator"),
        pytest.param("a:!every{b:1}", 1, "its opposite is !!a:every{…}", id="every takes no operator"),
        pytest.param("a:every{}", 9, "needs a condition: a:every{name:value}", id="empty every"),
        pytest.param("a:all{b:1}", 3, "every element: a:every{…}", id="all for every"),
        pytest.param("a:1 && lines:each {b:1}", 14, "every element: lines:every{…}", id="each for every"),
        pytest.param("a:none{b:1}", 3, "none: !!a:{…}", id="none"),
        pytest.param("a:every{b:1", 12, "ends too early", id="every not closed"),
        pytest.param("a:${}", 3, "a variable has a name", id="nameless variable"),
        pytest.param("a:$ b", 3, "a variable is written ${name}, another field $name", id="nameless field"),
        pytest.param("a:$b~ci", 5, "~ci goes with text", id="~ci on another field"),
        pytest.param('a:$b."c"d', 3, "around a whole step", id="text behind a quoted step of another field"),
        pytest.param("a:$b*", 5, "wildcards belong to a value", id="another field with a wildcard"),
        pytest.param("a:#1~ci", 5, "~ci goes with text", id="~ci on a number"),
        pytest.param("a:x~CI", 4, "~ci and ~cs follow a text", id="upper case ~CI"),
        pytest.param("a:x\\y", 4, "in double quotes", id="backslash"),
        pytest.param("a:x\0y", 4, "control character", id="control character"),
        pytest.param("name:{a:1", 10, "ends too early", id="element match not closed"),
        pytest.param("text(#5)", 6, "text search takes words", id="text search of a number"),
        pytest.param('text("")', 6, "takes a word at least", id="text search of nothing"),
        pytest.param('text(" ")', 6, "takes a word at least", id="text search of blanks"),
        pytest.param("text(s*o)", 6, "a * ends a word", id="text search with a wildcard inside a word"),
        pytest.param("text(*sho)", 6, "a * ends a word", id="text search for the end of a word"),
        pytest.param("text(sho**)", 6, "a * ends a word", id="text search with two stars"),
        pytest.param("text(red *)", 6, "a * ends a word", id="text search with a star alone"),
        pytest.param("text(sh?)", 6, "a * ends a word", id="text search with one letter open"),
        pytest.param("text(-sho*)", 6, "begins with a letter", id="text search without a beginning"),
        pytest.param('text("""sho"*)', 6, "begins with a letter", id="text search for half a phrase"),
        pytest.param("text(a* b* c* d* e*)", 6, "at most 4 beginnings", id="text search for five beginnings"),
        pytest.param(f"text({'x' * 65}*)", 6, "of 64 characters", id="text search for a long beginning"),
        pytest.param("text(x~ci)", 6, "without ~ci", id="text search that ignores case"),
        pytest.param('text("x"~cs)', 6, "without ~ci", id="text search that minds case"),
        pytest.param("||".join(["text(a)"] * 5), 37, "at most 4 text searches", id="five text searches"),
        pytest.param("hasEdge(own*, x)", 9, "neither wildcards nor ~ci", id="edge with a wildcard"),
        pytest.param("hasEdge(owns~ci, x)", 9, "neither wildcards nor ~ci", id="edge that ignores case"),
        pytest.param("s:*(draft)*", 4, 'wildcards outside of them: name:*"(a:b)"*', id="brackets at a star"),
        pytest.param("lines:{}", 8, "match needs a condition: lines:{name:value}", id="empty element match"),
        pytest.param("a:1 && b{ }", 11, "block needs a condition: b{name:value}", id="empty relation block"),
        pytest.param("()", 2, "a group needs a condition", id="empty group"),
        pytest.param("a:1 && !!( )", 12, "a group needs a condition", id="empty group that is negated"),
        pytest.param("at:>2026-01-02 10:00", 15, "a T joins date and time", id="date and time with a blank"),
        pytest.param("hasEdge(#1, x)", 9, "the name of a predicate", id="edge of a number"),
        pytest.param("hasEdge(a)", 10, "unexpected )", id="edge without id"),
        pytest.param("expand(a)", 1, "the query of find and plan; lists", id="expand in a filter"),
        pytest.param("a:1 && fields:[+b]", 8, "have the parameter projection", id="fields in a filter"),
        pytest.param("a:1 || expand(a)", 8, "belongs to the outermost &&", id="expand in a condition"),
        pytest.param("a{}", 3, "a relation block needs a condition: a{name:value}", id="an empty block"),
        pytest.param("[*]{b:1}", 1, "[*] follows the name of a list", id="a mark without a list"),
        pytest.param("a[*]b{b:1}", 1, "[*] follows the name of a list", id="a name behind a mark"),
        pytest.param("a{b{c{d{e:1}}}}", 7, "at most 3 deep", id="blocks nested too deep"),
        pytest.param("a{b:{c:1 || d{!!e{f{g:1}}}}}", 19, "at most 3 deep", id="and inside other conditions"),
        pytest.param("a{expand(b)}", 3, "outermost && of a query", id="a directive in a block"),
        pytest.param('a{"x}', 3, "the double quote is not closed", id="an open quote in a block"),
        pytest.param("a:\ud800", 3, "half a character", id="lone surrogate"),
    ],
)
def test_unreadable_text_is_pointed_at(text: str, column: int, said: str) -> None:
    with pytest.raises(FilterSyntax) as caught:
        parse_filter(text)
    assert said in caught.value.message
    assert caught.value.details.get("column") == column
    assert isinstance(caught.value.details["expected"], list)
    assert caught.value.details.get("excerpt", "^").splitlines()[-1].endswith("^")


def test_the_excerpt_shows_the_line_and_a_caret_below_the_place() -> None:
    with pytest.raises(FilterSyntax) as caught:
        parse_filter("a:1 &&\n  b=2 &&\n  c:3")
    assert caught.value.details == {
        "expected": ["!!", "(", "field:value", "hasEdge(…)", "path{…}", 'text("…")'],
        "line": 2,
        "column": 4,
        "excerpt": "  b=2 &&\n   ^",
    }


def test_the_excerpt_of_a_long_line_is_cut_on_both_sides() -> None:
    with pytest.raises(FilterSyntax) as caught:
        parse_filter(f"a:{'x' * 100} = {'y' * 100}")
    shown, caret = caught.value.details["excerpt"].splitlines()
    assert shown == f"…{'x' * 39} = {'y' * 38}…"
    assert shown[caret.index("^")] == "="


@pytest.mark.parametrize(
    ("fits", "exceeds", "said"),
    [
        pytest.param("a:" + "x" * (MAX_BYTES - 2), "a:" + "x" * (MAX_BYTES - 1), "16384 bytes", id="bytes"),
        pytest.param(
            "a:" + "é" * (MAX_BYTES // 2 - 1), "a:" + "é" * (MAX_BYTES // 2), "16384 bytes", id="UTF-8"
        ),
        pytest.param(
            "(" * 32 + "a:1" + ")" * 32, "(" * 33 + "a:1" + ")" * 33, "nested at most 32", id="groups"
        ),
        pytest.param("a:{" * 32 + "b:1" + "}" * 32, "a:{" * 33 + "b:1" + "}" * 33, "nested", id="elements"),
        pytest.param(
            "a:every{" * 10 + "!!!!b:1" + "}" * 10, "a:every {" * 11 + "b:1" + "}" * 11, "nested", id="every"
        ),
        pytest.param("!!(" * 16 + "a:1" + ")" * 16, "!!(" * 17 + "a:1" + ")" * 17, "nested", id="negations"),
        pytest.param("!!" * 32 + "a:1", "!!" * 33 + "a:1", "nested", id="chain of negations"),
        pytest.param("&&".join(["a:1"] * 151), "&&".join(["a:1"] * 152), "at most 150", id="conditions"),
        pytest.param(
            "&&".join(["a{b:1}"] * 8), "&&".join(["a{b:1}"] * 9), "at most 8 relation blocks", id="blocks"
        ),
        pytest.param(
            f"a:^[{','.join('1' * 1000)}]", f"a:^[{','.join('1' * 1001)}]", "1000 values", id="items"
        ),
        pytest.param(
            f"a:^[{','.join('1' * 600)}] && b:!^[{','.join('1' * 400)}]",
            f"a:^[{','.join('1' * 600)}] && b:!^ [{','.join('1' * 401)}]",
            "1000 values together",
            id="items of all lists",
        ),
        pytest.param(
            " && ".join(["a:^[1,2,3,4,5,6,7,8,9,0]"] * 100),
            " && ".join([*["a:^[1,2,3,4,5,6,7,8,9,0]"] * 100, 'a:^["1"]']),
            "1000 values together",
            id="items of many lists",
        ),
    ],
)
def test_limits_are_exact(fits: str, exceeds: str, said: str) -> None:
    assert (MAX_NESTING, MAX_PARTS, MAX_ITEMS) == (32, 150, 1000)
    parse_filter(fits)
    with pytest.raises(FilterSyntax, match=said):
        parse_filter(exceeds)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("&&".join(["(a:1)"] * 70), id="many groups side by side"),
        pytest.param("&&".join(["!!a:1"] * 70), id="many negations side by side"),
        pytest.param('a:"' + "((((!!{{" * 500 + '"', id="brackets in quotes"),
        pytest.param('a:^["' + "^[1,1]," * 400 + '"]', id="lists in quotes"),
        pytest.param('a:"' + "," * 2000 + '"', id="commas in quotes"),
        pytest.param("a:1 && " * 20 + "(" * 31 + "a:1" + ")" * 31, id="many and deep"),
    ],
)
def test_limits_count_neither_neighbours_nor_quotes(text: str) -> None:
    parse_filter(text)


def test_a_query_lifts_its_directives() -> None:
    text = "a:1 && expand(items[*].product, fields:[+sku, -price], b:2) && fields:[name] && c{d:4} && c:3"
    query = parse_query(text)
    assert query.filter is not None
    assert query.filter.expression == And((A, RelationBlock("c", D), C))
    assert query.expansions == (
        Expansion("items[*].product", (FieldMark("sku"), FieldMark("price", include=False)), B),
    )
    assert query.fields == (FieldMark("name"),)


def test_fields_are_paths_as_elsewhere() -> None:
    text = """fields:[+lines[*].sku, -labels."a, b]", "x y", a[*][*].b, +m."p[*]", "l"[*].q] && expand(c, fields:[+d[*]])"""
    query = parse_query(text)
    assert query.fields == (
        FieldMark("lines.sku", marked=("lines",)),
        FieldMark("labels.a, b]", include=False),
        FieldMark("x y"),
        FieldMark("a.b", marked=("a", "a")),
        FieldMark("m.p[*]"),
        FieldMark("l.q", marked=("l",)),
    )
    assert query.expansions == (Expansion("c", (FieldMark("d", marked=("d",)),)),)


@pytest.mark.parametrize(
    "text", ["", " ", "expand(a)", "(expand(a))", "fields:[+a] && expand(b, c:1 || d:2)"]
)
def test_a_query_may_ask_for_everything(text: str) -> None:
    assert parse_query(text).filter is None


def test_a_query_without_directives_is_a_filter() -> None:
    assert parse_query("a:1 || b:2").filter == parse_filter("a:1 || b:2")


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        pytest.param("a:1 || expand(b)", 8, "outermost &&", id="in an or"),
        pytest.param("!!expand(b)", 3, "outermost &&", id="in a not"),
        pytest.param("a:{expand(b)}", 4, "outermost &&", id="in an element match"),
        pytest.param("expand(a, expand(b))", 11, "outermost &&", id="in an expand"),
        pytest.param("fields:[a] && fields:[b]", 15, "once in a query", id="fields twice"),
        pytest.param("expand(a, b:1, c:2)", 1, "each once", id="two conditions"),
        pytest.param("fields:[+a,,b]", 12, "fields are written", id="empty field"),
        pytest.param("fields:[]", 9, "fields are written", id="no field"),
        pytest.param("fields:[+a,+[*].b]", 12, "follows the name of a list", id="a list without a name"),
        pytest.param('fields:[+a"b"]', 9, "around a whole step", id="quotes around half a step"),
        pytest.param('fields:[+"a]', 9, "fields are written", id="half of the quotes"),
        pytest.param("fields:[+a", 8, "fields:[…] is not closed", id="fields without an end"),
        pytest.param(
            "a:1 && fields : [ +a", 17, "fields:[…] is not closed", id="fields without an end, later"
        ),
        pytest.param("myfields:[a", 10, "a list is written field:^[a,b]", id="a list of a field"),
        pytest.param("expand()", 1, "expand(…) takes the path of a reference", id="expand without path"),
        pytest.param(
            "a:1 && expand (", 8, "expand(…) takes the path of a reference", id="the beginning of expand"
        ),
    ],
)
def test_misplaced_directives_are_pointed_at(text: str, column: int, said: str) -> None:
    with pytest.raises(FilterSyntax) as caught:
        parse_query(text)
    assert said in caught.value.message
    assert caught.value.details["column"] == column
