"""What a snippet of a report is, and the proof of concept it makes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.domain.proof import ProofOfConcept
from agent.oracles import javascript, python
from agent.oracles.classes import oracle_class
from agent.syntax.source import parses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.report import Report, Snippet

_EXITS: Final = {
    "python": re.compile(r"\b(?:sys\.exit|os\._exit|(?<![\w.])exit|(?<![\w.])quit)\s*\(|raise\s+SystemExit"),
    "javascript": re.compile(r"\bprocess\.(?:exit\s*\(|exitCode\s*=)"),
}
_TESTS: Final = {
    "python": re.compile(r"^(?:async\s+)?def test_\w*|^class \w+\(.*TestCase\)|^class Test\w*", re.MULTILINE),
    "javascript": re.compile(r"^[ \t]*(?:it|test|describe)(?:\.only)?\s*\(\s*['\"`]", re.MULTILINE),
}
_LOOKS: Final = {
    "python": re.compile(
        r"^[ \t]*(?:from [\w.]+ import |import \w[\w.]*[ \t]*$|def \w+\(.*\):)", re.MULTILINE
    ),
    "javascript": re.compile(
        r"\brequire\(\s*['\"]|^[ \t]*(?:const|let|var) \w|^[ \t]*import .{1,500} from[ \t]+['\"]",
        re.MULTILINE,
    ),
}


def proof_from_snippet(snippet: Snippet, report: Report) -> ProofOfConcept | None:
    """Return the proof a snippet makes, None when nothing in it can be read.

    A program that sets its own exit code is taken at its word (0 vulnerable, 1 safe, else inconclusive); a
    test of the project's kind is run as one (``report test``: a failed assertion is the flaw); a plain program
    gets the oracle of the report's weakness. ``argv`` is a placeholder that the toolchain replaces.
    """
    language = _language(snippet)
    if language is None or not parses(snippet.code, language):
        return None
    if _TESTS[language].search(snippet.code):
        writer = python.as_test_program if language == "python" else javascript.as_test_program
        return _proof(language, writer(snippet.code), snippet.code, origin="report test")
    if _EXITS[language].search(snippet.code):
        return _proof(language, snippet.code, snippet.code, origin="report")
    return wrap(snippet, report.cwes)


def wrap(snippet: Snippet, cwes: Sequence[str]) -> ProofOfConcept | None:
    """Return a plain snippet with the oracle of its weakness, None when no oracle is known.

    The program exits 0 when the oracle saw the flaw and 1 when an attack ran to its end without it; a snippet
    that holds no attack, or one that broke, is inconclusive and never safe.
    """
    language = _language(snippet)
    if language is None or not parses(snippet.code, language):
        return None
    known = oracle_class(language, cwes, snippet.code)
    writer = python.wrapped if language == "python" else javascript.wrapped
    code = writer(snippet.code, known) if known is not None else None
    return _proof(language, code, snippet.code, origin="report") if code is not None else None


def _language(snippet: Snippet) -> str | None:
    """Return the language said, or for an unnamed snippet the one it looks like."""
    if snippet.language in _EXITS:
        return snippet.language
    if snippet.language:
        return None
    return next((language for language, looks in _LOOKS.items() if looks.search(snippet.code)), None)


def _proof(language: str, code: str, snippet: str, *, origin: str) -> ProofOfConcept:
    if language == "python":
        path = "/tmp/suture_proof.py"  # noqa: S108 - inside the sandbox, where /tmp is private
        return ProofOfConcept(language=language, path=path, code=code, argv=("python", path), origin=origin)
    module = re.search(
        r"^[ \t]*(?:import\s.{0,500}from[ \t]+['\"]|import[ \t]+['\"]|export\s)", snippet, re.MULTILINE
    )
    path = f"/tmp/suture_proof.{'mjs' if module else 'cjs'}"  # noqa: S108
    return ProofOfConcept(language=language, path=path, code=code, argv=("node", path), origin=origin)
