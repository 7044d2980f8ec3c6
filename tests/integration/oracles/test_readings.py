"""Each oracle run for real: the flaw, its absence, a refusal, a breakage, and ordinary use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.report import Report, Snippet
from agent.oracles import proof_from_snippet
from agent.oracles.payloads import MARKER, OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

VULNERABLE, SAFE, NEITHER = 0, 1, 2
_SET = "const set = (o, k, v) => { const [a, b] = k.split('.'); o[a][b] = v }\n"
_PICKLED = """import os, pickle
class Call:
    def __reduce__(self):
        return (os.getenv, ("HOME",))
"""


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """Remove what is the sandbox's own elsewhere: the marker and the outside file."""

    def remove() -> None:
        Path(MARKER).unlink(missing_ok=True)
        shutil.rmtree(Path(OUTSIDE).parent, ignore_errors=True)

    remove()
    yield
    remove()


def read(code: str, language: str, cwe: str, folder: Path) -> int:
    report = Report(id="R-1", title="A flaw", body="", cwes=(cwe,))
    proof = proof_from_snippet(Snippet(language=language, code=code), report)
    assert proof is not None
    program = folder / Path(proof.path).name
    program.write_text(proof.code)
    command = [sys.executable if language == "python" else "node", str(program)]
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOME": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode


CASES = [
    ("a polluted prototype", "javascript", "CWE-1321", _SET + "set({}, '__proto__.x', 1)", VULNERABLE),
    ("a changed method", "javascript", "CWE-1321", "({})['__proto__'].toString = () => 'x'", VULNERABLE),
    ("an own property", "javascript", "CWE-1321", "const o = Object.create(null); o['__proto__'] = 1", SAFE),
    ("a refusal", "javascript", "CWE-1321", "throw new Error('__proto__ refused')", SAFE),
    ("a refusal later", "javascript", "CWE-1321", "Promise.reject(new Error('no ' + '__proto__'))", SAFE),
    ("a missing module", "javascript", "CWE-1321", "require('no-such-module')('__proto__')", NEITHER),
    ("a wrong name", "javascript", "CWE-1321", "nothing('__proto__')", NEITHER),
    ("ordinary keys", "javascript", "CWE-1321", _SET + "set({ a: {} }, 'a.b', 1)", NEITHER),
    ("a shell", "javascript", "CWE-78", "require('child_process').execSync('echo ' + 'a; id')", VULNERABLE),
    ("no shell", "javascript", "CWE-78", "require('child_process').execFileSync('echo', ['a; id'])", SAFE),
    (
        "an evaluated text",
        "javascript",
        "CWE-94",
        "eval(\"require('child_process').execSync('true')\")",
        VULNERABLE,
    ),
    ("a parsed text", "javascript", "CWE-94", "try { JSON.parse(\"require('x')\") } catch (e) {}", SAFE),
    ("a read outside", "javascript", "CWE-22", "require('fs').readFileSync(__dirname + '/../x')", VULNERABLE),
    (
        "a write outside",
        "javascript",
        "CWE-22",
        "require('fs').promises.writeFile(__dirname + '/../x', '')",
        VULNERABLE,
    ),
    ("a name inside", "javascript", "CWE-22", "require('path').basename('../x')", SAFE),
    ("slow", "javascript", "CWE-1333", "/^(a+)+$/.test('a'.repeat(60) + '!')", VULNERABLE),
    (
        "too deep",
        "javascript",
        "CWE-674",
        "const f = (n) => n ? f(n - 1) : 0; f('a'.repeat(9e5).length)",
        VULNERABLE,
    ),
    ("fast", "javascript", "CWE-1333", "/^a+$/.test('a'.repeat(60) + '!')", SAFE),
    ("a page with script", "javascript", "CWE-79", "console.log('<p>' + '<script>1</script>')", VULNERABLE),
    ("an escaped page", "javascript", "CWE-79", "console.log('<img onerror=x>'.replace('<', '&lt;'))", SAFE),
    ("ordinary text", "javascript", "CWE-79", "console.log('<p>text</p>')", NEITHER),
    ("a failing test", "javascript", "CWE-79", "it('a', () => require('assert').equal(1, 2))", VULNERABLE),
    ("a passing test", "javascript", "CWE-79", "it('a', (done) => { setTimeout(done, 1) })", SAFE),
    ("a broken test", "javascript", "CWE-79", "it('a', () => { nothing() })", NEITHER),
    ("no test", "javascript", "CWE-79", "describe('a', () => {})", NEITHER),
    ("a shell", "python", "CWE-78", "import os\nos.system('echo ' + 'a; id')", VULNERABLE),
    (
        "a quoted value",
        "python",
        "CWE-78",
        "import os, shlex\nos.system('echo ' + shlex.quote('a; id'))",
        SAFE,
    ),
    ("a missing module", "python", "CWE-78", "import no_such_module\nprint('a; id')", NEITHER),
    ("an ordinary value", "python", "CWE-78", "import os\nos.system('echo ' + 'a')", NEITHER),
    (
        "a tagged document",
        "python",
        "CWE-502",
        "import yaml\nyaml.unsafe_load('!!python/object/apply:os.system [\"true\"]')",
        VULNERABLE,
    ),
    (
        "a refused document",
        "python",
        "CWE-502",
        "import yaml\nyaml.safe_load('!!python/object/apply:os.system [a]')",
        SAFE,
    ),
    ("a pickled call", "python", "CWE-502", _PICKLED + "pickle.loads(pickle.dumps(Call()))", VULNERABLE),
    ("a pickled number", "python", "CWE-502", "import pickle\npickle.loads(pickle.dumps(1))", SAFE),
    ("an evaluated text", "python", "CWE-95", "eval(\"__import__('os').getcwd()\")", VULNERABLE),
    ("a literal", "python", "CWE-95", "import ast\nast.literal_eval(\"__import__('os')\")", SAFE),
    ("a read outside", "python", "CWE-22", "import os\nopen(os.path.join(os.getcwd(), '../x'))", VULNERABLE),
    (
        "a changed mode outside",
        "python",
        "CWE-22",
        "import os\nos.chmod(os.getcwd() + '/../x', 0o600)",
        VULNERABLE,
    ),
    ("a refusal", "python", "CWE-22", "raise ValueError('../x')", SAFE),
    ("a name inside", "python", "CWE-22", "import os\nos.path.basename('../x')", SAFE),
    ("slow", "python", "CWE-1333", "import re\nre.match(r'^(a+)+$', 'a' * 400 + '!')", VULNERABLE),
    ("too deep", "python", "CWE-674", "def f(n):\n    return f(n + 1)\n\n\nf(len('a' * 400))", VULNERABLE),
    ("fast", "python", "CWE-1333", "import re\nre.match(r'^a+$', 'a' * 400 + '!')", SAFE),
    ("a page with a handler", "python", "CWE-79", "print('<p ' + 'onclick=alert(1)>')", VULNERABLE),
    (
        "a page with a link",
        "python",
        "CWE-79",
        "print('<a href=\"' + 'javascript:alert(1)' + '\">')",
        VULNERABLE,
    ),
    (
        "an escaped page",
        "python",
        "CWE-79",
        "import html\nprint(html.escape('''<script>\nx</script>'''))",
        SAFE,
    ),
    ("ordinary text", "python", "CWE-79", "print('<p>text</p>')", NEITHER),
    ("a failing test", "python", "CWE-79", "def test_a():\n    assert 1 == 2", VULNERABLE),
    ("a passing test", "python", "CWE-79", "def test_a(tmp_path):\n    assert tmp_path", SAFE),
    ("a broken test", "python", "CWE-79", "def test_a():\n    nothing()", NEITHER),
    ("a test without its fixture", "python", "CWE-79", "def test_a(no_such_fixture):\n    assert 1", NEITHER),
]


@pytest.mark.parametrize(
    ("language", "cwe", "code", "expected"),
    [case[1:] for case in CASES],
    ids=[f"{language}: {name} ({cwe})" for name, language, cwe, _, _ in CASES],
)
@pytest.mark.xdist_group("oracles")
def test_reading(language: str, cwe: str, code: str, expected: int, tmp_path: Path) -> None:
    assert read(code, language, cwe, tmp_path) == expected
