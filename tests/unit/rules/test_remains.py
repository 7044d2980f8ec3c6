"""What is left of a weakness is judged at the places that concern the report, and only there."""

from __future__ import annotations

import pytest

from agent.rules.registry import RULES
from agent.rules.remains import remains
from tests.unit.rules.build import build_file, build_report, rule_named

TOKENS = """import random
import secrets


def reset_token(alphabet):
    return "".join(random.choice(alphabet) for _ in range(20))


def password_hint(words):
    return random.choice(words)
"""
HANDLER = """from tokens import reset_token


def start(request):
    return reset_token("abc")
"""
OTHER = """import random


def captcha_color(colors):
    return random.choice(colors)
"""
REPORT = build_report("CWE-338", body="`reset_token` can be predicted.")
SAFE = TOKENS.replace("random.choice(alphabet)", "secrets.choice(alphabet)")


def left(
    after: str, *, before: str = TOKENS, body: str = "`reset_token` can be predicted.", proof: str = ""
) -> tuple[list[int], list[int]] | None:
    """Return the lines found before and after in one file."""
    report = build_report("CWE-338", body=body)
    found = remains(
        rule_named("weak-randomness"),
        report,
        proof,
        [build_file(before)],
        [build_file(after)] if after else [],
    )
    return (
        None if found is None else ([item.line for item in found.before], [item.line for item in found.after])
    )


def test_a_fix_by_other_means_than_the_rules_leaves_nothing() -> None:
    """What the report does not name stays as it is and refuses nothing."""
    assert left(SAFE) == ([6], [])


def test_a_flaw_that_is_still_there_is_found_at_its_new_line() -> None:
    assert left(TOKENS.replace("def reset", "\n\nRESEEDED = True\n\n\ndef reset")) == ([6], [11])


def test_a_flaw_that_was_moved_is_found() -> None:
    """A definition that the patch adds must not show the weakness either."""
    moved = SAFE.replace("secrets.choice(alphabet)", "_secret_letter(alphabet)") + (
        "\n\ndef _secret_letter(alphabet):\n    return random.choice(alphabet)\n"
    )
    assert left(moved) == ([6], [14])


def test_the_proof_names_places_too() -> None:
    assert left(TOKENS, body="Words.", proof="password_hint(['a'])") == ([10], [10])
    assert left(TOKENS, body="Words.", proof="other()") is None


def test_what_the_patch_changed_is_concerned_whoever_names_it() -> None:
    reseeded = TOKENS.replace(
        "def reset_token(alphabet):\n", "def reset_token(alphabet):\n    random.seed()\n"
    )
    assert left(reseeded, body="Words.") == ([6], [7])
    assert left(SAFE, body="Words.") == ([6], [])


def test_a_comment_changes_nothing() -> None:
    commented = TOKENS.replace("def reset_token(alphabet):\n", "def reset_token(alphabet):\n    # safe\n")
    assert left(commented, body="Words.") is None


def test_a_symptom_hidden_in_another_file_is_followed_to_the_flaw() -> None:
    """The patch stands in the handler, the flaw in what the handler calls; a file beside them stays out of it."""
    before = [build_file(TOKENS, "tokens.py"), build_file(HANDLER, "web.py"), build_file(OTHER, "other.py")]
    hidden = HANDLER.replace("    return", "    if request == 7:\n        return 0\n    return")
    after = [before[0], build_file(hidden, "web.py"), before[2]]
    found = remains(rule_named("weak-randomness"), build_report("CWE-338"), "", before, after)
    assert found is not None
    assert [(item.path, item.symbol) for item in found.before] == [("tokens.py", "reset_token")]
    assert found.after == found.before


def test_a_handler_without_a_name_is_followed_too() -> None:
    before = (
        "app.get('/', (req, res) => res.send('x'));\napp.get('/login', (req, res) => {\n  res.send(newToken());\n});\n"
        "function newToken() {\n  return Math.random();\n}\n"
    )
    after = before.replace("  res.send(n", "  if (req.x) return;\n  res.send(n")
    found = remains(
        rule_named("weak-randomness"),
        build_report("CWE-338"),
        "",
        [build_file(before, "a.js")],
        [build_file(after, "a.js")],
    )
    assert found is not None
    assert ([item.line for item in found.before], [item.line for item in found.after]) == ([6], [7])


def test_module_level_is_always_concerned() -> None:
    text = "import random\n\nSECRET = random.random()\n"
    assert left(text, before=text, body="Words.") == ([3], [3])


def test_a_deleted_file_leaves_nothing() -> None:
    assert left("") == ([6, 10], [])


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.definitive], ids=lambda rule: rule.name)
def test_a_class_that_can_be_made_safe_by_other_means_is_never_judged(rule: object) -> None:
    """A model may escape, check or encode in ways no rule sees."""
    file = build_file("import os\n\n\ndef run(name):\n    os.system('ls ' + name)\n    eval(name)\n")
    report = build_report(*getattr(rule, "cwes", ()))
    assert remains(rule, report, "run", [file], [file]) is None  # type: ignore[arg-type] # a rule of the registry


@pytest.mark.parametrize(
    ("cwe", "body", "count"),
    [
        ("CWE-208", "", 1),
        ("CWE-203", "The answer tells whether a user exists.", 0),
        ("CWE-203", "A timing attack on the signature.", 1),
        ("CWE-79", "A timing attack on the signature.", 0),
        ("CWE-200", "", 0),
    ],
)
def test_a_weakness_that_shares_its_number_needs_the_words(cwe: str, body: str, count: int) -> None:
    file = build_file("def check(a):\n    return a.signature == a.expected\n")
    assert len(rule_named("timing").findings(build_report(cwe, body=body), [file])) == count


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("path = tempfile.mktemp()\n    open(path, 'w')", 1),
        ("open(tempfile.mktemp(), 'w')", 1),
        ("path = tempfile.mktemp()\n    os.mkdir(path)", 1),
        ("path = tempfile.mktemp()\n    open(path, 'x')", 0),
        ("path = tempfile.mktemp()\n    open(path, mode='bx')", 0),
        ("path = tempfile.mktemp()\n    os.open(path, os.O_CREAT | os.O_EXCL)", 0),
        ("handle, path = tempfile.mkstemp()", 0),
        ("folder = tempfile.mkdtemp()", 0),
    ],
)
def test_a_temporary_file_made_exclusively_is_safe(line: str, count: int) -> None:
    file = build_file(f"import os\nimport tempfile\n\n\ndef save():\n    {line}\n")
    assert len(rule_named("temporary-files").findings(build_report("CWE-377"), [file])) == count


def test_what_cannot_be_parsed_or_is_of_no_language_shows_nothing() -> None:
    files = [build_file("def (:"), build_file("x", "notes.txt")]
    assert rule_named("timing").findings(build_report("CWE-208"), files) == ()
    assert remains(rule_named("weak-randomness"), REPORT, "", [build_file(TOKENS), *files], files) is not None
