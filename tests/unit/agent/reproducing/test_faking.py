"""A program that fakes the symptom is told by its text; an honest one is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.reproducing.faking import faults, package_name, project_names
from tests.fakes.workflow import build_proof

if TYPE_CHECKING:
    from agent.domain.proof import ProofOfConcept

PROJECT = frozenset({"shelf", "@acme/shelf", "app"})
PY_END = "\nimport sys\nsys.exit(0 if seen else 1)\n"
JS_END = "\nprocess.exit(seen ? 0 : 1)\n"
INTO, REPLACES, MODULES = "writes into the project", "replaces code", "replaces modules"
PROC, ENVIRONMENT, EXIT = "reads /proc", "prints the environment", "does not depend"


def proof(code: str, language: str) -> ProofOfConcept:
    return build_proof(code=code, language=language, origin="model")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "import os\nT = os.environ['CASE_TREE']\nP = os.path.join(T, 'a.py')\nopen(P, 'w').write('x')"
            + PY_END,
            INTO,
        ),
        ("open('/work/a.py', mode='a')" + PY_END, INTO),
        ("import pathlib\n(pathlib.Path('/work') / 'a.py').write_text('x')" + PY_END, INTO),
        ("import shutil\nshutil.copy('/tmp/x', '/work/.github/workflows/ci.yml')" + PY_END, INTO),
        ("import os\nos.remove(os.getcwd() + '/a.py')" + PY_END, INTO),
        ("import shelf\nshelf.load = lambda name: name" + PY_END, REPLACES),
        ("from shelf import core as c\nc.load = c.other" + PY_END, REPLACES),
        ("import shelf.core\nshelf.core.LIMIT += 1" + PY_END, REPLACES),
        ("import shelf\nsetattr(shelf, 'load', print)" + PY_END, REPLACES),
        ("from unittest import mock\nmock.patch('shelf.load', print).start()" + PY_END, REPLACES),
        (
            "from unittest.mock import patch\nimport shelf\nwith patch.object(shelf, 'load'): pass" + PY_END,
            REPLACES,
        ),
        ("import sys\nsys.modules['shelf'] = object()" + PY_END, MODULES),
        ("open('/proc/self/environ').read()" + PY_END, PROC),
        ("import os\nprint(dict(os.environ))" + PY_END, ENVIRONMENT),
        ("import os\nprint(os.environ)" + PY_END, ENVIRONMENT),
        ("import shelf\nshelf.load('x')\nprint('vulnerable')\nexit(0)", EXIT),
        ("import shelf\nshelf.load('x')\nraise SystemExit(0)", EXIT),
        ("import shelf\nshelf.load('x')\nprint('vulnerable')", "never sets its exit code"),
        ("import (", "does not parse"),
        ("x = '\0'", "does not parse"),
    ],
)
def test_python_that_fakes(code: str, expected: str) -> None:
    assert expected in "; ".join(faults(proof(code, "python"), PROJECT))


@pytest.mark.parametrize(
    "code",
    [
        "import shelf, os\nseen = shelf.load('../../etc/passwd')" + PY_END,
        "import os, tempfile\nd = tempfile.mkdtemp()\nopen(os.path.join(d, 'x'), 'w').write('x')" + PY_END,
        "import sys, os\nsys.path.insert(0, os.environ['CASE_TREE'])\nopen('/work/a.py').read()" + PY_END,
        "import os\nos.system = lambda line: calls.append(line)" + PY_END,
        "import shelf\nstore = shelf.Store()\nstore.name = 'x'\nstore.items[0] = 1" + PY_END,
        "import os, subprocess\nsubprocess.run(['x'], env=dict(os.environ, A='1'))" + PY_END,
        "import os\nprint(os.environ['HOME'], dict(a=1))" + PY_END,
        "import shelf\ntry:\n    shelf.load('x')\nexcept ValueError:\n    exit(1)\nexit(0)",
        "import sys, shelf\nif shelf.load('x'):\n    sys.exit(0)\nsys.exit(1)\nx: int = 1",
        "text = 'a'.replace('a', '/work')\nset(open).pop()" + PY_END,
    ],
)
def test_python_that_is_honest(code: str) -> None:
    assert faults(proof(code, "python"), PROJECT) == ()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("const fs = require('fs')\nfs.writeFileSync(process.env.CASE_TREE + '/a.js', 'x')" + JS_END, INTO),
        (
            "const T = process.env.CASE_TREE\nrequire('fs').unlinkSync(require('path').join(T, 'a'))"
            + JS_END,
            INTO,
        ),
        ("require('fs').writeFile('/work/.github/workflows/ci.yml', '', f)" + JS_END, INTO),
        ("const s = require(process.env.CASE_TREE)\ns.load = () => 1" + JS_END, REPLACES),
        ("const T = process.cwd()\nconst s = require(T + '/lib')\ns['load'] = x" + JS_END, REPLACES),
        ("const { core } = require('@acme/shelf/lib')\ncore.x.y = 1" + JS_END, REPLACES),
        ("import core from '/work/lib/core.js'\ncore.load = 1" + JS_END, REPLACES),
        ("const s = require('/work')\nObject.defineProperty(s, 'load', {})" + JS_END, REPLACES),
        ("jest.mock('shelf')" + JS_END, REPLACES),
        ("require.cache[require.resolve('/work/a')] = {}" + JS_END, MODULES),
        ("require('fs').readFileSync('/proc/self/environ')" + JS_END, PROC),
        ("console.log(process.env)" + JS_END, ENVIRONMENT),
        ("require('/work').load()\nprocess.exit(0)", EXIT),
        ("require('/work').load()\nprocess.exit()", EXIT),
        ("require('/work').load()\nprocess.exitCode = 0", EXIT),
        ("require('/work').load()\nconsole.log('vulnerable')", "never sets its exit code"),
        ("const = ", "does not parse"),
    ],
)
def test_javascript_that_fakes(code: str, expected: str) -> None:
    assert expected in "; ".join(faults(proof(code, "javascript"), PROJECT))


@pytest.mark.parametrize(
    "code",
    [
        "const s = require(process.env.CASE_TREE)\nconst seen = s.load('../x')" + JS_END,
        "const fs = require('fs')\nconst d = fs.mkdtempSync('/tmp/x')\nfs.writeFileSync(d + '/x', 'x')"
        + JS_END,
        "require('child_process').exec = (line) => calls.push(line)" + JS_END,
        "const s = require('/work')\nconst out = s.merge({}, x)\nout.y = 1\nObject.prototype.z = 2" + JS_END,
        "const s = require('/work')\ntry { s.load('x'); process.exit(0) } catch (e) { process.exit(1) }",
        "import s from 'shelf'\nconsole.log(process.env.CASE_TREE)\nlet a; [a] = [1]" + JS_END,
        "const x = require(name); x.y = 1; const z = require(); z.y = 1; unset.a().b = 1" + JS_END,
        "jest.mock('other'); sinon.stub()" + JS_END,
        "const T = process.env.CASE_TREE\nconst f = () => T\nrequire('fs').writeFile(f, d, () => T)" + JS_END,
    ],
)
def test_javascript_that_is_honest(code: str) -> None:
    assert faults(proof(code, "javascript"), PROJECT) == ()


def test_other_languages_are_left_to_what_they_do() -> None:
    assert faults(proof("fn main() {}", "rust"), PROJECT) == ()


def test_the_names_of_a_projects_modules() -> None:
    paths = ["src/shelf/core.py", "app.py", "lib/x/y.js", "tests/test_a.py"]
    assert project_names(paths, "@acme/shelf") == {"shelf", "app", "x", "@acme/shelf"}


@pytest.mark.parametrize(
    ("manifest", "expected"), [(b'{"name": "x"}', "x"), (b"", ""), (b"[]", ""), (b'{"name": 1}', "")]
)
def test_the_name_of_a_package(manifest: bytes, expected: str) -> None:
    assert package_name(manifest) == expected
