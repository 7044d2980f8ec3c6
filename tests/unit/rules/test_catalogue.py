"""Every rule against its catalogue, and what must hold for each text in it."""

from __future__ import annotations

import ast
import builtins
import difflib
import symtable

import pytest

from agent.domain.patch import Candidate, Declined
from agent.rules.registry import RULES
from tests.unit.rules.build import applied, build_file, texts
from tests.unit.rules.catalogue import Case, cases

CASES = cases()
CHANGED = [case for case in CASES if case.after]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_before_becomes_after(case: Case) -> None:
    items = applied(case.rule, build_file(case.before, case.path))
    declined = tuple((item.line, item.reason) for item in items if isinstance(item, Declined))
    assert (texts(items, case.path), declined) == (case.after, case.declined)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_changes_declines_or_leaves_alone(rule: object) -> None:
    """A rule without a text it changes or declines, or without one it leaves alone, is not tested."""
    own = [case for case in CASES if case.rule == getattr(rule, "name", "")]
    assert any(case.after or case.declined for case in own)
    assert any(case.after for case in own)


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_what_is_fixed_is_not_fixed_again(case: Case) -> None:
    """Run again on what it made, a rule comes to an end: at most one run a form, none twice at one place."""
    for after in case.after:
        text, runs = after, 0
        while more := texts(applied(case.rule, build_file(text, case.path)), case.path):
            text, runs = more[0], runs + 1
            assert runs < len(case.after)


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_line_ends_are_kept(case: Case) -> None:
    """A file with carriage returns gets no bare line feed, and the same text otherwise."""
    windows = case.before.replace("\n", "\r\n")
    expected = tuple(after.replace("\n", "\r\n") for after in case.after)
    assert texts(applied(case.rule, build_file(windows, case.path)), case.path) == expected


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_a_byte_order_mark_and_a_missing_last_line_end_are_kept(case: Case) -> None:
    marked = b"\xef\xbb\xbf" + case.before.rstrip("\n").encode()
    items = applied(case.rule, build_file(marked, case.path))
    contents = [item.changes[case.path] for item in items if isinstance(item, Candidate)]
    expected = [b"\xef\xbb\xbf" + after.rstrip("\n").encode() for after in case.after]
    assert contents == expected


@pytest.mark.parametrize("case", CHANGED, ids=str)
def test_other_lines_stay(case: Case) -> None:
    """No line is lost that holds nothing of the change: at most as many go as come."""
    for after in case.after:
        lines = list(difflib.ndiff(case.before.splitlines(), after.splitlines()))
        removed = sum(line.startswith("- ") for line in lines)
        assert removed <= sum(line.startswith("+ ") for line in lines) + 1


@pytest.mark.parametrize("case", [case for case in CHANGED if case.path.endswith(".py")], ids=str)
def test_no_name_is_left_undefined(case: Case) -> None:
    """Every global name of the new text is bound in it, a builtin, or was unbound before."""
    for after in case.after:
        assert _unbound(after) - _unbound(case.before) == set()


def _unbound(text: str) -> set[str]:
    table = symtable.symtable(text, "module.py", "exec")
    bound = {
        symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    inner = {
        symbol.get_name() for child in _tables(table) for symbol in child.get_symbols() if symbol.is_local()
    }
    return used - bound - inner - set(dir(builtins)) - {"__file__"}


def _tables(table: symtable.SymbolTable) -> list[symtable.SymbolTable]:
    return [inner for child in table.get_children() for inner in (child, *_tables(child))]
