"""A guard refuses the ways to a prototype and nothing else: harmless names work as they did."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from agent.attack import controls
from agent.domain.proof import Verdict
from tests.integration.attack.build import build_proof, verdict
from tests.integration.attack.projects import PROJECTS
from tests.unit.rules.build import applied, build_file, texts

if TYPE_CHECKING:
    from pathlib import Path

WALK, MERGE = (project for project in PROJECTS if project.rule == "prototype-pollution")
LOOP = """module.exports = function set (obj, path, value) {
  const parts = path.split('.')
  let at = obj
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]
    if (i === parts.length - 1) at[part] = value
    else at = at[part] = at[part] || {}
  }
  return obj
}
"""
RECURSION = """module.exports = function set (obj, path, value) {
  const keys = typeof path === 'string' ? path.split('.') : path
  const key = keys[0]
  if (keys.length === 1) {
    obj[key] = value
    return
  }
  if (!obj[key]) obj[key] = {}
  set(obj[key], keys.slice(1), value)
}
"""
LISTED = """module.exports = function extend (target, text) {
  const source = typeof text === 'string' ? JSON.parse(text) : text
  Object.keys(source).forEach(function (key) {
    if (target[key] && typeof source[key] === 'object') extend(target[key], source[key])
    else target[key] = source[key]
  })
  return target
}
"""
HARMLESS_PATHS = ("prototype", "a.prototype", "prototype.x", "a.b", "proto", "a.constructors.b")
HARMLESS_TEXTS = (
    '{"prototype": {"a": 1}}',
    '{"a": {"prototype": 1}}',
    '{"constructor": 5}',
    '{"a": {"constructor": "b"}}',
)
ATTACKS = ("__proto__.x", "constructor.prototype.x", "a.__proto__.x", "a.constructor.prototype.x")
TEXTS = tuple(
    text.replace("P", '{"x": 1}')
    for text in ('{"__proto__": P}', '{"constructor": {"prototype": P}}', '{"a": {"__proto__": P}}',
                 '{"a": {"constructor": {"prototype": P}}}')
)  # fmt: skip
_SHOW = """
const made = require('./project')
let seen
try { %s } catch (error) { seen = 'error' }
console.log(JSON.stringify(seen), {}.x === undefined, !Object.hasOwn(Object.keys, 'x'))
"""
_WALKED = "seen = { a: {} }; made(seen, %r, 1)"
_MERGED = "seen = made({ a: {} }, %r)"


def fixed(module: str) -> str:
    return texts(applied("prototype-pollution", build_file(module, "project.js")), "project.js")[0]


def shown(module: str, body: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "project.js").write_text(module)
    program = _SHOW % body
    done = subprocess.run(
        ["node", "-e", program], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("module", "call", "given"),
    [
        *((module, _WALKED, path) for module in (WALK.module, LOOP, RECURSION) for path in HARMLESS_PATHS),
        *((module, _MERGED, text) for module in (MERGE.module, LISTED) for text in HARMLESS_TEXTS),
        (WALK.module, _WALKED, "a.constructor"),
    ],
)
def test_harmless_names_work_as_before(module: str, call: str, given: str, tmp_path: Path) -> None:
    before = shown(module, call % given, tmp_path / "before")
    assert before == shown(fixed(module), call % given, tmp_path / "after")
    assert before.endswith("true true")


@pytest.mark.parametrize(
    ("module", "call", "given"),
    [
        *((module, _WALKED, path) for module in (WALK.module, LOOP, RECURSION) for path in ATTACKS),
        *((module, _MERGED, text) for module in (MERGE.module, LISTED) for text in TEXTS),
    ],
)
def test_no_way_to_a_prototype_is_left(module: str, call: str, given: str, tmp_path: Path) -> None:
    assert " false true" in shown(module, call % given, tmp_path / "before")
    assert shown(fixed(module), call % given, tmp_path / "after").endswith("true true")


def test_a_shared_constructor_is_not_written_to(tmp_path: Path) -> None:
    """``constructor.keys.x`` reaches a function that every object shares."""
    call = _WALKED % "constructor.keys.x"
    assert shown(WALK.module, call, tmp_path / "before").endswith("true false")
    assert shown(fixed(WALK.module), call, tmp_path / "after").endswith("true true")


_PROOF = """const set = require('./project')
const made = {}
set(made, '__proto__.polluted', 'yes')
process.exit({}.polluted === 'yes' ? 0 : 1)
"""
_WIDE = WALK.module.replace(
    "  var o = obj\n",
    "  var o = obj\n  if (/__proto__|constructor|prototype/.test(path)) return\n",
)


def test_a_control_finds_a_patch_that_refuses_too_much(tmp_path: Path) -> None:
    """The harmless name is set before; after the wide patch it is missing, after the rule's it is there."""
    control = next(
        item for item in controls(build_proof(_PROOF, "javascript"), ["CWE-1321"]) if "prototype" in item.name
    )
    before = verdict(control.proof, tmp_path / "before", project=WALK.module)
    assert before == (Verdict.SAFE, 'undefined\n{"prototype":"yes"}\n')
    assert verdict(control.proof, tmp_path / "wide", project=_WIDE) == (Verdict.SAFE, "undefined\n{}\n")
    assert verdict(control.proof, tmp_path / "rule", project=fixed(WALK.module)) == before


def test_a_value_that_nobody_keeps_is_shown(tmp_path: Path) -> None:
    module = "module.exports = function parse (name) { return { [name]: 1 } }\n"
    code = "const parse = require('./project')\nparse('__proto__.polluted')\nprocess.exit(1)\n"
    (control, *_) = controls(build_proof(code, "javascript"), ["CWE-1321"])
    assert control.name == "the harmless name prototype"
    assert verdict(control.proof, tmp_path, project=module) == (Verdict.SAFE, '{"prototype":1}\n')
