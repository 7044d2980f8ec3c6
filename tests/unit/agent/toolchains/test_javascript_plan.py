"""JavaScript projects: manager, install lines, build and test line are read from the manifests."""

from __future__ import annotations

import json
from datetime import date

import pytest

from agent.domain.project import BuildConfig, ProjectPlan
from agent.toolchains.javascript_plan import plan
from agent.toolchains.javascript_tests import instrumented
from tests.unit.agent.toolchains.snapshots import build_snapshot


def planned(package: object, more: dict[str, str] | None = None, *paths: str, config: BuildConfig | None = None,
            newest: date | None = date(2025, 6, 1)) -> ProjectPlan:  # fmt: skip
    texts = {**({"package.json": json.dumps(package)} if package is not None else {}), **(more or {})}
    found = plan(
        build_snapshot(texts, *paths, newest=newest),
        config or BuildConfig(),
        node="20.1.0",
        platform="x",
    )
    assert found is not None
    return found


def test_no_javascript_is_no_project() -> None:
    assert plan(build_snapshot({}, "lib/x.js", "a.py"), BuildConfig(), node="20", platform="") is None


def test_a_locked_project_is_installed_as_locked_and_without_scripts() -> None:
    found = planned({"name": "p", "scripts": {"test": "xo && mocha --bail"}, "devDependencies": {"mocha": "^9"}},
                    {"package-lock.json": "{}"})  # fmt: skip

    assert found.install == ("npm ci --ignore-scripts --no-audit --no-fund --loglevel=error",)
    assert found.fallbacks[-1][-1].endswith("--foreground-scripts")
    assert (found.manager, found.runner, found.test) == ("npm", "mocha", "mocha")
    assert found.origins["install"] == "package-lock.json"
    assert found.env == {"SUTURE_PACKAGE": "p"}


@pytest.mark.parametrize(
    ("package", "lock", "manager", "words"),
    [
        ({}, {"yarn.lock": "# yarn lockfile v1"}, "yarn", "--frozen-lockfile"),
        ({}, {"yarn.lock": "__metadata:"}, "yarn", "yarn install"),
        ({"packageManager": "yarn@3.6.1"}, {}, "yarn", "yarn install"),
        ({}, {"pnpm-lock.yaml": "lockfileVersion: '6.0'"}, "pnpm", "--frozen-lockfile"),
        ({"packageManager": "pnpm@9.1.0"}, {}, "pnpm", "--frozen-lockfile"),
        ({"packageManager": "bun@1"}, {"npm-shrinkwrap.json": "{}"}, "npm", "npm ci"),
        ({}, {}, "npm", "npm install"),
    ],
)
def test_the_manager_is_the_one_named_else_that_of_the_lock(
    package: dict[str, str], lock: dict[str, str], manager: str, words: str
) -> None:
    found = planned({"name": "x", **package}, lock)

    assert found.manager == manager
    assert words in found.install[-1]


@pytest.mark.parametrize(
    ("lock", "tool"),
    [("lockfileVersion: 5.4", "pnpm@7.33.7"), ("lockfileVersion: '9.0'", "pnpm@9.15.9"), ("", "pnpm@9.15.9")],
)
def test_pnpm_is_of_the_locks_version(lock: str, tool: str) -> None:
    assert planned({"name": "x"}, {"pnpm-lock.yaml": lock}).install[0].endswith(tool)


def test_a_range_without_bounds_becomes_the_release_of_the_projects_time() -> None:
    package = {"devDependencies": {"ava": "*", "xo": "*", "is-jpg": "^1"}, "scripts": {"test": "ava"}}

    old = planned(package, newest=date(2019, 1, 1))
    new = planned(package, newest=date(2025, 1, 1))
    unknown = planned(package, newest=None)

    assert old.install[:2] == (
        "npm pkg set devDependencies.ava=2.4.0",
        "npm pkg set devDependencies.esm=3.2.25",
    )
    assert new.install[0].startswith("npm install")
    assert unknown.install[0].startswith("npm install")


def test_a_runner_that_no_manifest_asks_for_is_added() -> None:
    found = planned({"name": "x", "scripts": {"test": "ava"}}, newest=date(2019, 1, 1))
    itself = planned({"name": "mocha", "scripts": {"test": "mocha"}})

    assert found.install[-1].endswith(" ava@2.4.0 esm@3.2.25")
    assert len(itself.install) == 1


def test_style_checkers_are_left_out_in_the_second_way() -> None:
    found = planned({"devDependencies": {"eslint": "*", "mocha": "^9", "a.b-eslint": "1"}})
    plain = planned({"devDependencies": {"mocha": "^9"}})

    assert found.fallbacks[0][0] == "npm pkg delete devDependencies.eslint 'devDependencies[a.b-eslint]'"
    assert plain.fallbacks[0][0].endswith("--omit=dev")


def test_configuration_goes_first() -> None:
    config = BuildConfig(
        install=("make deps",), packages=("ava@2",), build=("make",), test="cd x && ava; rm y", node="18"
    )
    found = planned({"name": "x", "scripts": {"test": "mocha"}}, config=config)
    packages = planned({"name": "x"}, config=BuildConfig(packages=("ava@2", "a b")))

    assert found.install[0] == "make deps"
    assert found.install[1].endswith("ava@2")
    assert (found.build, found.test, found.runner) == (("make",), "cd x && ava; rm y", "ava")
    assert found.origins["interpreter"].startswith("suture.yml asks Node 18")
    assert packages.install[-1].endswith("ava@2 'a b'")


@pytest.mark.parametrize(
    ("package", "paths", "build"),
    [
        (
            {"main": "dist/index.js", "scripts": {"build": "tsc", "test": "ava"}},
            ("test.js",),
            ("npm run build",),
        ),
        ({"main": "./lib", "scripts": {"build": "tsc", "test": "ava"}}, ("lib/index.js",), ()),
        ({"main": "dist/x.js", "scripts": {"test": "ava"}}, (), ()),
        ({"scripts": {"pretest": "tsc -p .", "test": "ava"}}, (), ("tsc -p .",)),
        (
            {"scripts": {"pretest": "npm run build", "build": "rollup -c", "test": "ava"}},
            (),
            ("npm run build",),
        ),
        ({"scripts": {"pretest": "npm run lint", "lint": "eslint .", "test": "ava"}}, (), ()),
    ],
)
def test_what_tests_need_built_is_built_before_them(
    package: dict[str, object], paths: tuple[str, ...], build: tuple[str, ...]
) -> None:
    assert planned(package, None, *paths).build == build


def test_ci_goes_before_scripts_and_scripts_before_convention() -> None:
    workflow = {".github/workflows/ci.yml": "jobs: {test: {steps: [{run: npm run test-ci}]}}"}
    package = {"scripts": {"test": "mocha a", "test-ci": "nyc mocha --exit b"}}
    makefile = {"Makefile": "test:\n\tnode --test\n"}

    assert planned(package, workflow).origins["test"] == ".github/workflows/ci.yml > package.json"
    assert planned(package, workflow).test == "mocha --exit b"
    assert planned(package).test == "mocha a"
    assert planned({"name": "x"}, makefile).test == "node --test"


@pytest.mark.parametrize(
    ("dependencies", "test"),
    [
        ({"vitest": "1"}, "vitest run"),
        ({"mocha": "1"}, "mocha test/a.js"),
        ({"jest": "1"}, "jest"),
        ({}, "node --test test/a.js"),
    ],
)
def test_convention(dependencies: dict[str, str], test: str) -> None:
    found = planned({"devDependencies": dependencies}, None, "test/a.js", "test/fixtures/b.test.js")

    assert (found.test, found.origins["test"]) == (test, "convention")


def test_a_folder_of_scripts_is_a_project_without_tests() -> None:
    found = planned(None, None, "index.js")

    assert (found.test, found.runner, found.origins["manager"], found.origins["test"]) == (
        "",
        "",
        "convention",
        "none found",
    )


def test_the_digest_changes_with_locks_and_not_with_sources() -> None:
    same = planned({"name": "x"}, None, "a.js").digest

    assert planned({"name": "x"}, None, "b.js").digest == same
    assert planned({"name": "x"}, {"package-lock.json": "{}"}).digest != same


@pytest.mark.parametrize(
    ("line", "runner", "expected"),
    [
        ("mocha -R spec --reporter=dot test", "mocha", "mocha test --reporter /t/suture_mocha.js"),
        ("cd sub && A=1 mocha", "mocha", "cd sub && A=1 mocha --reporter /t/suture_mocha.js"),
        (
            "jest --verbose",
            "jest",
            "jest --ci --coverage=false --reporters=/t/suture_jest.js --cacheDirectory=/tmp/jest",
        ),
        ("vitest", "vitest", "vitest --run --reporter=json --outputFile=/t/results --coverage.enabled=false"),
        (
            "vitest run",
            "vitest",
            "vitest run --reporter=json --outputFile=/t/results --coverage.enabled=false",
        ),
        ("ava --verbose test.js", "ava", "ava test.js --tap"),
        ("tap -R spec t.js", "tap", "TAP=1 tap t.js -Rtap"),
        ("vows --spec test/*", "vows", "vows test/* --json"),
        ("node --test --test-reporter=spec a.js", "node", "node --test --test-reporter=tap a.js"),
        ("node test.js", "tape", "node test.js"),
        ("tape -v x", "tape", "tape -v x"),
        ("mocha | cat", "mocha", "mocha | cat"),
        ("lab", "command", "lab"),
    ],
)
def test_runners_are_made_to_tell_each_test(line: str, runner: str, expected: str) -> None:
    assert instrumented(line, runner, "/t") == expected


def test_a_configured_line_of_no_known_runner_is_believed() -> None:
    found = planned({"scripts": {"test": "mocha"}}, config=BuildConfig(test="./check"))

    assert (found.test, found.runner, found.origins["test"]) == ("./check", "command", "suture.yml")
