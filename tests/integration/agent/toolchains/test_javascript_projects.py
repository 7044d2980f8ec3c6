# ruff: noqa: E501 (small projects written on a line)
"""JavaScript projects of each manager and runner are installed and tested for real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import SandboxCommand
from agent.domain.project import TestStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.agent.toolchains.conftest import Project

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

P, F, E, S = TestStatus.PASSED, TestStatus.FAILED, TestStatus.ERROR, TestStatus.SKIPPED
CODE = {
    "index.js": "exports.add = function add (a, b) { return a + b }\n",
    "unused.js": "exports.never = () => 1\n",
}
BDD = """
const assert = require('assert'); const { add } = require('..')
describe('add', () => {
  it('adds', () => assert.equal(add(1, 2), 3))
  it('fails', () => assert.equal(add(1, 2), 4))
  it.skip('waits', () => {})
})
"""


def manifest(test: str, **more: object) -> dict[str, str]:
    return {
        "package.json": json.dumps(
            {"name": "@own/adder", "version": "1.0.0", "main": "index.js", "scripts": {"test": test}, **more}
        )
    }


def bdd(prefix: str, joint: str = " ") -> dict[str, TestStatus]:
    return {f"{prefix}add{joint}adds": P, f"{prefix}add{joint}fails": F, f"{prefix}add{joint}waits": S}


RUNNERS = {
    "mocha": (manifest("eslint . && nyc mocha --bail -R dot", devDependencies={"mocha": "^10"}), {"test/a.js": BDD}, bdd("test/a.js::")),
    "old mocha": (manifest("istanbul cover _mocha -- -R spec", devDependencies={"mocha": "^1.17"}), {"test/a.js": BDD}, bdd("test/a.js::")),
    "jest": (manifest("jest --coverage", devDependencies={"jest": "^29"}), {"test/a.test.js": BDD}, bdd("test/a.test.js::")),
    "vitest": (
        manifest("vitest", devDependencies={"vitest": "^2"}),
        {"a.test.ts": "import { test, describe, expect } from 'vitest'\nimport { add } from './index.js'\n"
         "describe('add', () => { test('adds', () => expect(add(1, 2)).toBe(3)); test('fails', () => expect(add(1, 2)).toBe(4)); test.skip('waits', () => {}) })\n"},
        bdd("a.test.ts::"),
    ),
    "ava": (
        manifest("xo && ava", devDependencies={"ava": "^5"}),
        {"test.js": "const test = require('ava'); const { add } = require('.')\n"
         "test('adds', t => t.is(add(1, 2), 3)); test('fails', t => t.is(add(1, 2), 4)); test.skip('waits', t => t.pass())\n"},
        {"adds": P, "fails": F, "waits": S},
    ),
    "tap": (
        manifest("tap --no-coverage test/*.js", devDependencies={"tap": "^16"}),
        {"test/a.js": "const t = require('tap'); const { add } = require('..')\nt.test('adds', t => { t.equal(add(1, 2), 3, 'three'); t.equal(add(1, 2), 4, 'four'); t.end() })\n"},
        {"test/a.js > adds > three": P, "test/a.js > adds > four": F},
    ),
    "tape": (
        manifest("tape test/*.js", devDependencies={"tape": "^5"}),
        {"test/a.js": "const test = require('tape'); const { add } = require('..')\ntest('adds', t => { t.equal(add(1, 2), 3, 'three'); t.equal(add(1, 2), 4, 'four'); t.end() })\n"},
        {"three": P, "four": F},
    ),
    "node": (
        manifest("node --test"),
        {"test/a.test.js": "const { test, describe } = require('node:test'); const assert = require('assert'); const { add } = require('..')\n"
         "describe('add', () => { test('adds', () => assert.equal(add(1, 2), 3)); test('fails', () => assert.equal(add(1, 2), 4)); test('waits', { skip: true }, () => {}) })\n"},
        bdd("", " > "),
    ),
    "vows": (
        manifest("vows test/*.js --spec", devDependencies={"vows": "^0.8.3"}),
        {"test/a.js": "const vows = require('vows'); const assert = require('assert'); const { add } = require('..')\n"
         "vows.describe('x').addBatch({ add: { topic: () => add(1, 2), adds: n => assert.equal(n, 3), fails: n => assert.equal(n, 4), waits: 'later' } }).export(module)\n"},
        bdd("", " > "),
    ),
    "own program": (manifest("node check.js"), {"check.js": "process.exit(0)"}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNNERS)
async def test_runners(project: Callable[..., Project], name: str) -> None:
    package, tests, expected = RUNNERS[name]
    built = project({**CODE, **package, **tests})

    if expected is None:
        assert built.plan.test == ""
        return
    run = await built.tested()

    assert run.usage_error is None
    assert dict(run.results) == expected
    assert run.complete


@pytest.mark.parametrize(
    "more",
    [
        {"packageManager": "yarn@1.22.22"},
        {"packageManager": "yarn@4.5.3"},
        {"packageManager": "pnpm@9.15.9"},
    ],
    ids=["yarn 1", "yarn 4", "pnpm"],
)
async def test_managers(project: Callable[..., Project], more: dict[str, str]) -> None:
    built = project({**CODE, **manifest("mocha", devDependencies={"mocha": "^10"}, **more), "test/a.js": BDD})

    run = await built.tested()

    assert built.plan.manager == more["packageManager"].partition("@")[0]
    assert dict(run.results) == bdd("test/a.js::")


async def test_some_files_with_a_new_one_written_over_the_tree(project: Callable[..., Project]) -> None:
    built = project({**CODE, **manifest("mocha", devDependencies={"mocha": "^10"}), "test/a.js": BDD})

    run = await built.tested(only=("test/new.js",), files={"test/new.js": b"it('is new', () => {})\n"})

    assert dict(run.results) == {"test/new.js::is new": P}


async def test_typescript_is_built_before_tests_and_scripts(project: Callable[..., Project]) -> None:
    package = {"name": "typed", "main": "dist/index.js", "scripts": {"build": "tsc", "test": "npm run build && mocha"},
               "devDependencies": {"mocha": "^10", "typescript": "~5.6.0"}}  # fmt: skip
    built = project({
        "package.json": json.dumps(package), "tsconfig.json": '{"compilerOptions": {"outDir": "dist", "rootDir": "src", "module": "commonjs", "types": []}}',
        "src/index.ts": "export const add = (a: number, b: number): number => a + b\n",
        "test/a.js": BDD,
    })  # fmt: skip
    environment = await built.installed()
    script = SandboxCommand(
        argv=built.toolchain.script(environment, "/tmp/poc.js"), tree=built.tree, mounts=environment.mounts, env=environment.env,
        files={"/tmp/poc.js": b"console.log(require('typed').add(1, 1))\n", "src/index.ts": b"export const add = () => 'patched'\n"},
    )  # fmt: skip

    run = await built.tested()
    execution = await built.sandbox.run(script)

    assert dict(run.results) == bdd("test/a.js::")
    assert execution.stdout == "patched\n"


async def test_a_script_finds_the_package_by_its_name_and_what_it_executes_is_told(
    project: Callable[..., Project],
) -> None:
    built = project({**CODE, **manifest("mocha", dependencies={"ms": "2.1.3"})})
    environment = await built.installed()

    async def run(name: str, text: bytes) -> tuple[str, frozenset[str]]:
        command = SandboxCommand(
            argv=built.toolchain.script(environment, name), tree=built.tree, files={name: text},
            mounts=environment.mounts, env=environment.env,
        )  # fmt: skip
        execution = await built.sandbox.run(command)
        return execution.stdout, await built.toolchain.covered(
            environment, built.tree, built.sandbox, command
        )

    required = await run(
        "/tmp/a.js",
        b"require('@own/adder/unused'); console.log(require('@own/adder').add(require('ms')('1s'), 1))",
    )
    imported = await run(
        "/tmp/a.mjs", b"import { add } from '@own/adder'; import ms from 'ms'; console.log(add(ms('1s'), 1))"
    )
    loaded = await run("/tmp/a.js", b"require('@own/adder/unused')")

    assert required == ("1001\n", frozenset({"index.js"}))
    assert imported == ("1001\n", frozenset({"index.js"}))
    assert loaded == ("", frozenset({"unused.js"}))


async def test_a_run_that_is_cut_short_keeps_what_it_saw(project: Callable[..., Project]) -> None:
    slow = "it('is quick', () => {}); it('hangs', () => { for (;;) {} })\n"
    built = project({**CODE, **manifest("mocha", devDependencies={"mocha": "^10"}), "test/slow.js": slow})

    run = await built.tested(seconds=6)

    assert dict(run.results) == {"test/slow.js::is quick": P}
    assert (run.complete, run.execution.timed_out) == (False, True)


async def test_a_server_left_listening_does_not_hold_the_run(project: Callable[..., Project]) -> None:
    listening = "it('leaves', () => { require('http').createServer().listen(0); throw new Error('x') })\n"
    built = project({**CODE, **manifest("mocha", devDependencies={"mocha": "^10"}), "test/a.js": listening})

    run = await built.tested(seconds=100)

    assert dict(run.results) == {"test/a.js::leaves": F}
    assert run.complete
    assert run.execution.seconds < 60


async def test_a_runner_that_cannot_start_is_no_failed_test(project: Callable[..., Project]) -> None:
    built = project(
        {**CODE, **manifest("mocha --require not-there", devDependencies={"mocha": "^10"}), "test/a.js": BDD}
    )

    run = await built.tested()

    assert run.results == {}
    assert "not-there" in (run.usage_error or "")
