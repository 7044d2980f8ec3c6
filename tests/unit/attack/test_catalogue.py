"""Variants and controls as texts: which forms a payload takes, and what is never touched."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.attack import controls, variants
from agent.attack.catalogue import TECHNIQUES
from agent.domain.proof import ProofOfConcept


def build_proof(code: str, language: str = "python") -> ProofOfConcept:
    return ProofOfConcept(
        language=language, path="/tmp/p", code=code, argv=("x",), origin="report", files={"/tmp/a": b""}
    )


def forms(code: str, cwe: str = "", language: str = "python") -> dict[str, str]:
    found = variants(build_proof(code, language), [cwe] if cwe else [])
    return {variant.name: variant.proof.code for variant in found}


def harmless(code: str, cwe: str, language: str = "python") -> list[str]:
    found = controls(build_proof(code, language), [cwe])
    assert all(control.benign for control in found)
    return [control.proof.code for control in found]


def test_form_names_are_unique_within_a_technique() -> None:
    for technique in TECHNIQUES:
        names = [form.name for form in (*technique.forms, *technique.harmless)]
        assert sorted(names) == sorted(set(names))


def test_everything_but_the_code_stays() -> None:
    proof = build_proof("f('../x')\n")
    for variant in variants(proof, ["CWE-22"]):
        found = variant.proof
        assert (found.language, found.path, found.argv, found.origin, found.files) == (
            proof.language, proof.path, proof.argv, proof.origin, proof.files,
        )  # fmt: skip
        assert found.code != proof.code


def test_a_path_takes_other_spellings() -> None:
    found = forms("f('../secret.txt')\n", "CWE-22")
    assert found["through the present folder"] == "f('./../secret.txt')\n"
    assert found["encoded separator"] == "f('..%2fsecret.txt')\n"
    assert found["backslashes"] == "f('..\\\\secret.txt')\n"
    assert found["another file"] == "f('../secret2.txt')\n"
    assert forms("f('/etc/passwd')\n", "CWE-22")["an absolute path with steps"] == "f('/etc/../etc/passwd')\n"


def test_a_renamed_file_is_renamed_everywhere() -> None:
    """The program still looks where the attack leads."""
    code = "write('secret.txt')\nread('../secret.txt')\nseen('secretary')\n"
    found = forms(code, "CWE-22")["another file"]
    assert found == "write('secret2.txt')\nread('../secret2.txt')\nseen('secretary')\n"


def test_a_prototype_is_reached_by_every_way() -> None:
    found = forms("m(['--__proto__.polluted', 'yes'])\nuse({}.polluted)\n", "CWE-1321", "javascript")
    assert found == {
        "through the constructor": ("m(['--constructor.prototype.polluted', 'yes'])\nuse({}.polluted)\n"),
        "one level deeper": "m(['--deep.__proto__.polluted', 'yes'])\nuse({}.polluted)\n",
        "another property": "m(['--__proto__.polluted2', 'yes'])\nuse({}.polluted2)\n",
    }


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        (
            "s(['__proto__', 'x'])",
            "through the constructor, as elements",
            "s(['constructor', 'prototype', 'x'])",
        ),
        ("s(['constructor', 'prototype', 'x'])", "through __proto__, as an element", "s(['__proto__', 'x'])"),
        ("s(['__proto__', 'x'])", "key wrapped in an array", "s([['__proto__'], 'x'])"),
        ("s([['__proto__'], 'x'])", "key not wrapped in an array", "s(['__proto__', 'x'])"),
        ("s('a[__proto__][b]')", "through the constructor, in brackets", "s('a[constructor][prototype][b]')"),
        ("s('/__proto__/b')", "through the constructor, as a pointer", "s('/constructor/prototype/b')"),
        (
            """j('{"__proto__": {"b": 1}}')""",
            "through the constructor, as JSON",
            """j('{"constructor": {"prototype": {"b": 1}}}')""",
        ),
        ("""j('{"__proto__": {}}')""", "one level deeper, as JSON", """j('{"deep": {"__proto__": {}}}')"""),
        ("s('constructor.prototype.b')", "through __proto__", "s('__proto__.b')"),
    ],
)
def test_keys_take_other_places(code: str, name: str, expected: str) -> None:
    assert forms(code, "CWE-1321", "javascript")[name] == expected


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("run('a; touch b')", "substitution", "run('a$(touch b)')"),
        ("run('a; touch b')", "out of single quotes", "run('a\\'; touch b; \\'')"),
        ("run(f'a; touch {m}')", "backticks", "run(f'a`touch {m}`')"),
        ("run('a && touch b')", "a new line", "run('a \\ntouch b')"),
        ("run('$(touch b)')", "backticks instead of substitution", "run('`touch b`')"),
        ("run('`touch b`')", "a command after it", "run('; touch b ;')"),
        ("run('; touch ' + m)", "a pipe", "run('| touch ' + m)"),
    ],
)
def test_a_command_begins_in_other_ways(code: str, name: str, expected: str) -> None:
    assert forms(code, "CWE-78")[name] == expected


def test_a_text_put_together_takes_no_form_that_needs_an_end() -> None:
    assert "substitution" not in forms("run('; touch ' + m)", "CWE-78")


@pytest.mark.parametrize(
    ("code", "cwe", "name", "expected"),
    [
        ("f('!!python/object/apply:os.system [a]')", "CWE-502", "object/new", "f('!!python/object/new:os.system [a]')"),
        ("f(\"' OR '1'='1\")", "CWE-89", "no white space", "f(\"'/**/OR/**/1=1/**/--\")"),
        ("f('<script>a(1)</script>')", "CWE-79", "an image that fails", "f('<img src=x onerror=a(1)>')"),
        ("f('//evil.example/x')", "CWE-601", "a backslash", "f('/\\\\evil.example/x')"),
        ("f(\"__import__('os').getcwd()\")", "CWE-95", "inside a list", "f(\"[__import__('os').getcwd()][0]\")"),
        ("f('<!DOCTYPE a [<!ENTITY b SYSTEM \"c\">]>')", "CWE-611", "another entity name",
         "f('<!DOCTYPE a [<!ENTITY b2 SYSTEM \"c\">]>')"),
        ("f('a' * 30)", "CWE-1333", "2/1 of the length", "f('a' * 60)"),
        ("f(30 * 'a')", "CWE-1333", "a text in front", "f(('x' + 30 * 'a'))"),
    ],
)  # fmt: skip
def test_other_weaknesses_have_their_forms(code: str, cwe: str, name: str, expected: str) -> None:
    assert forms(code, cwe)[name] == expected


def test_a_length_in_javascript() -> None:
    found = forms("f('a'.repeat(100) + 'b'.repeat(2) + c.repeat(n))", "CWE-1333", "javascript")
    assert found["3/2 of the length"] == "f('a'.repeat(150) + 'b'.repeat(2) + c.repeat(n))"


def test_the_own_host_of_a_program_stays() -> None:
    """Where one host says that it is the attacker's, only that one changes."""
    found = forms("go('https://evil.example', base='https://app.example')", "CWE-601")
    assert found["no scheme"] == "go('//evil.example', base='https://app.example')"


@pytest.mark.parametrize(
    ("code", "cwe", "expected"),
    [
        (
            "require('./x')\nf('../../y')",
            "CWE-22",
            ["require('./x')\nf('y')", "require('./x')\nf('inside/y')"],
        ),
        ("f('a; touch b')", "CWE-78", ["f('a')"]),
        ("f('!!python/object/apply:os.system [a]')", "CWE-502", ["f('[a]')"]),
        ("f(\"a' OR '1'='1\")", "CWE-89", ['f("a")']),
        ("f('<b><script>a(1)</script>')", "CWE-79", ["f('<b>text')"]),
        ("f('//evil.example/x')", "CWE-601", ["f('/local')"]),
        ("f('a' * 3000)", "CWE-1333", ["f('a' * 2)"]),
        ("f(\"__import__('os')\")", "CWE-95", ['f("[1, 2]")']),
        ("f('<!DOCTYPE a [<!ENTITY b \"c\">]><d>&b;</d>')", "CWE-611", ["f('<d></d>')"]),
    ],
)
def test_controls_hold_no_attack(code: str, cwe: str, expected: list[str]) -> None:
    assert harmless(code, cwe) == expected


def test_without_a_weakness_the_payload_decides() -> None:
    assert forms("f('../x')") == forms("f('../x')", "CWE-22") == forms("f('../x')", "CWE-1021")
    assert forms("f('a' * 3000)") == {}


@pytest.mark.parametrize(
    ("code", "language"), [("f('../x'", "python"), ("f('../x')", "ruby"), ("print(1)", "python")]
)
def test_what_holds_no_payload_has_no_variants(code: str, language: str) -> None:
    proof = build_proof(code, language)
    assert (variants(proof, ["CWE-22"]), controls(proof, ["CWE-22"])) == ((), ())


def test_comments_and_code_stay() -> None:
    """Only literals are rewritten: not comments, names or operators that look like a payload."""
    code = "# see ../x\nx = a.b / c  # ../y\nf('../z')\n"
    for text in forms(code, "CWE-22").values():
        assert text.startswith("# see ../x\nx = a.b / c  # ../y\nf('")


@settings(deadline=None)  # the machine may be busy
@given(
    st.text(alphabet="ab/.;|&$(){}`'\"\\<>% \n\t_!#", max_size=24),
    st.sampled_from(["'", '"', '"""']),
    st.sampled_from(["CWE-22", "CWE-78", "CWE-79", "CWE-89", "CWE-502", "CWE-601"]),
)
def test_every_variant_of_any_literal_parses(text: str, mark: str, cwe: str) -> None:
    """Whatever a literal holds, the rewritten program is a program again."""
    literal = repr(text + "../a; touch b' OR 1=1 <script>x</script>") if mark == "'" else None
    code = f"f({literal or mark + 'x; ../y' + mark})\n"
    for variant in (*variants(build_proof(code), [cwe]), *controls(build_proof(code), [cwe])):
        ast.parse(variant.proof.code)


def shown(code: str) -> list[str]:
    """Return the controls that use the harmless name, a line each way a value is made visible."""
    found = controls(build_proof(code, "javascript"), ["CWE-1321"])
    return [item.proof.code for item in found if "harmless name" in item.name]


def test_what_the_program_makes_is_shown_at_its_end() -> None:
    """Strictness is kept; what is printed are the program's own values, not the modules it loads."""
    code = (
        "#!/usr/bin/env node\n'use strict'\nconst set = require('./p')\n"
        "let made = set({}, '__proto__.x')\nlet { a } = made\n"
    )
    (control,) = shown(code)
    lines = control.splitlines()
    assert lines[:2] == ["#!/usr/bin/env node", "'use strict'"]
    assert "[() => made])" in lines[2]
    assert lines[3:5] == ["const set = require('./p')", "let made = set({}, 'prototype')"]


def test_what_nobody_keeps_is_printed_where_it_is_made() -> None:
    assert shown("parse(['--__proto__.x', '1'])\n") == [
        "console.log(JSON.stringify(parse(['--prototype', '1'])))\n"
    ]


def test_where_nothing_can_be_shown_there_is_no_control_with_that_name() -> None:
    for code in (
        "console.log('__proto__.x')\n",
        "'__proto__.x'\n",
        "if (a) b('__proto__.x')\n",
        "f('plain')\n",
    ):
        assert shown(code) == []


def test_data_keeps_its_form_under_the_harmless_name() -> None:
    (control,) = shown("""merge({}, '{"__proto__": {"x": 1}}')\n""")
    assert control == """console.log(JSON.stringify(merge({}, '{"prototype": {"x": 1}}')))\n"""
