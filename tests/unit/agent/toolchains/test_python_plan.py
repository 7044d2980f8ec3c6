# ruff: noqa: E501 (a manifest or a row of a table reads better on one line)
"""A Python project's plan: interpreter, install lines in order of faith, test line."""

from __future__ import annotations

from datetime import date

import pytest

from agent.domain.project import BuildConfig, ProjectPlan
from agent.toolchains.python_interpreter import interpreter, package_limit
from agent.toolchains.python_plan import plan
from agent.toolchains.python_tests import by_convention
from agent.toolchains.python_ways import FIND_TREE
from tests.unit.agent.toolchains.snapshots import TODAY, build_snapshot

PYTHONS = {"3.9": "/p/3.9", "3.11": "/p/3.11", "3.13": "/p/3.13"}


def planned(
    texts: dict[str, str], *paths: str, config: BuildConfig | None = None, newest: date | None = TODAY
) -> ProjectPlan:
    snapshot = build_snapshot(texts, *paths, newest=newest)
    found = plan(snapshot, config or BuildConfig(), PYTHONS, today=TODAY, platform="x")
    assert found is not None
    return found


def test_no_python_is_no_project() -> None:
    assert plan(build_snapshot({}, "a.js"), BuildConfig(), PYTHONS, today=TODAY, platform="") is None


def test_a_folder_of_files_is_tested_by_convention() -> None:
    found = planned({"test_a.py": "def test_a(mocker): pass"}, "a.py")

    assert (found.manager, found.runner, found.test) == ("pip", "pytest", "pytest test_a.py")
    assert found.install[-2:] == ("uv pip install pytest pytest-mock", FIND_TREE)
    assert found.origins["manager"] == found.origins["test"] == "convention"


def test_a_folder_without_tests_says_so() -> None:
    found = planned({}, "a.py")

    assert (found.test, found.runner, found.origins["test"]) == ("", "", "none found")
    assert not any("pytest" in line for line in found.install)


@pytest.mark.parametrize(
    ("asked", "requires", "texts", "version", "said"),
    [
        ("3.9.2", "", {}, "3.9", "suture.yml asks 3.9.2"),
        ("3.8", "", {}, "3.9", "suture.yml asks 3.8, which is not here: Python 3.9, the project names none"),
        ("", "", {"setup.py": "'Programming Language :: Python :: 3.9', 'Programming Language :: Python :: 3.11'"},
         "3.11", "Python 3.11, named by the project"),
        ("", "", {"setup.py": "'Programming Language :: Python :: 3.10'"}, "3.11", "Python 3.11, the project names up to 3.10"),
        ("", ">=3.10", {}, "3.11", "Python 3.11, the project names none"),
        ("", "^3.12", {}, "3.13", "Python 3.13, the project names none"),
        ("", ">=4", {}, "3.9", "Python 3.9, the project names none"),
        ("", "garbage", {}, "3.9", "Python 3.9, the project names none"),
        ("", "", {"tox.ini": "envlist = py39, py313"}, "3.13", "Python 3.13, named by the project"),
        ("", "", {".python-version": "3.9.1\n"}, "3.9", "Python 3.9, named by the project"),
        ("", "", {"setup.py": "'Programming Language :: Python :: 3.99'"}, "3.9", "Python 3.9, the project names up to 3.99"),
    ],
)  # fmt: skip
def test_the_interpreter(asked: str, requires: str, texts: dict[str, str], version: str, said: str) -> None:
    found = interpreter(asked, requires, build_snapshot(texts), PYTHONS)

    assert (found.version, found.path, found.said) == (version, f"/p/{version}", said)


@pytest.mark.parametrize(
    ("newest", "version", "limit"),
    [
        (None, "3.11", ""),
        (date(2025, 5, 1), "3.11", ""),
        (date(2024, 1, 1), "3.11", "2024-01-15"),
        (date(2019, 1, 1), "3.11", "2023-04-22"),
        (date(2019, 1, 1), "3.8", "2019-01-15"),
    ],
)
def test_an_old_project_meets_packages_of_its_time_that_have_wheels(
    newest: date | None, version: str, limit: str
) -> None:
    assert package_limit(newest, TODAY, version) == limit


def test_ways_go_from_the_projects_own_to_the_leanest() -> None:
    found = planned(
        {"pyproject.toml": "[project]\nname='p'\n[project.optional-dependencies]\ntest=[]", "requirements-dev.txt": "pytest"},
        "tests/test_a.py", newest=date(2024, 1, 1),
    )  # fmt: skip
    ways = (found.install, *found.fallbacks)

    assert "--exclude-newer 2024-01-15" in ways[0][-1]
    assert "--exclude-newer-package setuptools=false" in ways[0][-1]
    assert ways[0][-1].endswith("-e '.[test]' -r requirements-dev.txt pytest")
    assert ways[1][-1] == "uv pip install -e '.[test]' -r requirements-dev.txt pytest"
    assert ways[2][-2].endswith("|| echo 'left out: -r requirements-dev.txt'")
    assert ways[2][-1].endswith("--no-deps -e '.[test]'")
    assert ways[3][-1] == FIND_TREE
    assert "--no-build-isolation" in ways[3][2]
    assert len(ways) == 4


def test_a_lock_of_uv_is_synced_first() -> None:
    found = planned(
        {
            "pyproject.toml": "[project]\nname='p'\nclassifiers=['Programming Language :: Python :: 3.13']\n[dependency-groups]\ntest=['pytest']",
            "uv.lock": "",
        },
        "tests/test_a.py",
    )

    assert found.install[1:] == ("uv sync --frozen --group test", "uv pip install pytest")
    assert found.fallbacks[0][1] == "uv pip install -e . --group test pytest"


def test_locked_versions_bind_the_first_way() -> None:
    found = planned({
        "pyproject.toml": "[tool.poetry]\nname='p'\n[tool.poetry.dev-dependencies]\npytest='^8'",
        "poetry.lock": "[[package]]\nname='pytest'\nversion='8.1.0'",
    }, "tests/test_a.py")  # fmt: skip

    assert found.install[-2] == "printf '%s\\n' pytest==8.1.0 > /tmp/locked.txt"
    assert found.install[-1] == "uv pip install -e . 'pytest>=8,<9' -c /tmp/locked.txt"


def test_ci_tells_what_is_installed_and_tested() -> None:
    found = planned({
        "setup.py": "setup(name='p')",
        ".github/workflows/ci.yml": "jobs: {test: {steps: [{run: 'pip install .[all] -c c.txt'}, {run: 'pytest --cov=p t'}]}}",
        "c.txt": "", "setup.cfg": "[tool:pytest]\naddopts = --cov",
    }, "t/test_a.py")  # fmt: skip

    assert found.install[-1] == "uv pip install -e '.[all]' -c c.txt pytest"
    assert not any("left out: -c" in line for way in found.fallbacks for line in way)
    assert (found.test, found.origins["install"]) == ("pytest t", ".github/workflows/ci.yml")
    assert found.env["PYTEST_ADDOPTS"].startswith("-o addopts= ")


def test_configuration_goes_first() -> None:
    config = BuildConfig(
        install=("pip install x",),
        packages=("pytest<8",),
        build=("make",),
        test="cd t && pytest",
        python="3.9",
    )
    found = planned({"setup.py": ""}, config=config)
    lines = planned({"setup.py": ""}, config=BuildConfig(test="make x; pytest --cov"))

    assert found.install == (
        "uv venv --seed --python /p/3.9 /env/venv",
        "UV_COMPILE_BYTECODE=0 uv pip install 'setuptools<81' wheel",
        "pip install x",
        "uv pip install 'pytest<8'",
        FIND_TREE,
    )
    assert (found.fallbacks, found.build, found.test) == ((), ("make",), "cd t && pytest")
    assert lines.test == "make x; pytest --cov"


def test_the_version_from_git_is_told_to_this_project_alone() -> None:
    named = planned({"setup.py": "setup(name='my-p', use_scm_version=True) # setuptools_scm"})
    nameless = planned({"setup.py": "setup(use_scm_version=True) # setuptools_scm"})

    assert named.env["SETUPTOOLS_SCM_PRETEND_VERSION_FOR_MY_P"] == "1.0.0"
    assert "SETUPTOOLS_SCM_PRETEND_VERSION" not in named.env
    assert nameless.env["SETUPTOOLS_SCM_PRETEND_VERSION"] == "1.0.0"


def test_the_digest_changes_with_manifests_and_not_with_sources() -> None:
    same = planned({"setup.py": "", "a.py": "1"}).digest

    assert planned({"setup.py": "", "a.py": "2"}).digest == same
    assert planned({"setup.py": "#"}).digest != same


@pytest.mark.parametrize(
    ("paths", "texts", "line"),
    [
        (("tests/runtests.py",), {}, "cd tests && python runtests.py"),
        (("runtests.py",), {}, "python runtests.py"),
        (("tornado/test/runtests.py",), {}, "python -m tornado.test.runtests"),
        (("manage.py", "app/tests.py"), {}, "python manage.py test"),
        (("manage.py", "app/tests.py"), {"pytest.ini": "[pytest]\nx=1"}, "pytest"),
        (("test/test_a.py", "test_b.py"), {}, "pytest test"),
        (("pkg/tests/test_a.py",), {}, "pytest"),
        (("tests/fixtures/test_a.py",), {}, ""),
    ],
)
def test_convention(paths: tuple[str, ...], texts: dict[str, str], line: str) -> None:
    assert by_convention(build_snapshot(texts, *paths)) == line


def test_other_runners_than_pytest_keep_their_words() -> None:
    unittest = planned({"Makefile": "test:\n\tcd t && python -m unittest -x\n"}, "a.py")
    unknown = planned({"setup.py": ""}, config=BuildConfig(test="./check"))

    assert (unittest.test, unittest.runner, unittest.env) == ("cd t && python -m unittest -x", "unittest", {})
    assert (unknown.test, unknown.runner, unknown.origins["test"]) == ("./check", "command", "suture.yml")


def test_the_day_of_the_commit_goes_before_that_of_the_files() -> None:
    found = planned(
        {"setup.py": "setup()"}, "tests/test_a.py", config=BuildConfig(committed=date(2024, 1, 1))
    )

    assert "--exclude-newer 2024-01-15" in found.install[-1]
