# ruff: noqa: E501 (small projects written on a line)
"""Python projects of each manager and runner are installed and tested for real."""

from __future__ import annotations

import shutil
import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import SandboxCommand
from agent.domain.project import BuildConfig, TestStatus
from agent.errors import EnvironmentFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.agent.toolchains.conftest import Project

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

P, F, E, S = TestStatus.PASSED, TestStatus.FAILED, TestStatus.ERROR, TestStatus.SKIPPED
CODE = {
    "src/adder/__init__.py": "def add(a, b):\n    return a + b\n",
    "src/adder/unused.py": "def never():\n    pass\n",
}
SETUP = {
    "setup.py": "from setuptools import setup\nsetup(name='adder', version='1', packages=['adder'], package_dir={'': 'src'})\n"
}
TESTS = {
    "tests/test_add.py": """
import pytest
from adder import add

def test_adds(): assert add(1, 2) == 3
def test_fails(): assert add(1, 2) == 4
@pytest.mark.skip
def test_waits(): pass
@pytest.mark.xfail
def test_expected(): assert False
@pytest.fixture
def broken(): raise ValueError
def test_errs(broken): pass
@pytest.mark.parametrize("a", [1, 2])
def test_each(a): assert a
"""
}
EXPECTED = {
    "tests/test_add.py::test_adds": P, "tests/test_add.py::test_fails": F, "tests/test_add.py::test_waits": S,
    "tests/test_add.py::test_expected": S, "tests/test_add.py::test_errs": E,
    "tests/test_add.py::test_each[1]": P, "tests/test_add.py::test_each[2]": P,
}  # fmt: skip


async def test_pytest_tells_each_test_whatever_addopts_ask_for(project: Callable[..., Project]) -> None:
    built = project(
        {
            **CODE,
            **SETUP,
            **TESTS,
            "pytest.ini": "[pytest]\naddopts = --cov=adder --cov-fail-under=100 -n 2 -x\n",
        }
    )

    run = await built.tested()

    assert dict(run.results) == EXPECTED
    assert (run.usage_error, run.complete, run.execution.exit_code) == (None, True, 1)


async def test_a_second_run_takes_the_environment_from_the_cache(project: Callable[..., Project]) -> None:
    built = project({**CODE, **SETUP, **TESTS})

    first = await built.installed()
    second = await built.installed()

    assert second.cached
    assert second.seconds < 1
    assert first.mounts == second.mounts


async def test_some_files_with_a_new_one_written_over_the_tree(project: Callable[..., Project]) -> None:
    built = project({**CODE, **SETUP, **TESTS})

    run = await built.tested(
        only=("tests/test_new.py",), files={"tests/test_new.py": b"def test_new(): pass\n"}
    )

    assert dict(run.results) == {"tests/test_new.py::test_new": P}
    assert not (built.tree / "tests/test_new.py").exists()


async def test_a_run_that_is_cut_short_keeps_what_it_saw(project: Callable[..., Project]) -> None:
    slow = "import time\ndef test_quick(): pass\ndef test_slow(): time.sleep(60)\n"
    built = project({**CODE, **SETUP, "tests/test_slow.py": slow})

    run = await built.tested(seconds=4)

    assert dict(run.results) == {"tests/test_slow.py::test_quick": P}
    assert (run.complete, run.usage_error, run.execution.timed_out) == (False, None, True)


async def test_a_file_that_cannot_be_collected_is_an_error_of_its_own(
    project: Callable[..., Project],
) -> None:
    built = project({**CODE, **SETUP, **TESTS, "tests/test_broken.py": "import not_there\n"})

    run = await built.tested()

    assert dict(run.results) == {**EXPECTED, "tests/test_broken.py": E}


async def test_a_runner_that_refuses_is_no_failed_test(project: Callable[..., Project]) -> None:
    unknown = project({**CODE, **SETUP, **TESTS}, BuildConfig(test="pytest --no-such-option"))
    first = await unknown.tested()
    broken = project({"conftest.py": "import not_there\n"})
    second = await broken.tested()

    assert first.results == second.results == {}
    assert "no-such-option" in (first.usage_error or "")
    assert "not_there" in (second.usage_error or "")


async def test_options_that_pytest_does_not_know_are_dropped_on_a_second_try(
    project: Callable[..., Project],
) -> None:
    built = project({**CODE, **SETUP, **TESTS, "pytest.ini": "[pytest]\naddopts = --made-up\n"})

    assert dict((await built.tested()).results) == EXPECTED


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[build-system]\nrequires=['poetry-core']\nbuild-backend='poetry.core.masonry.api'\n"
         "[tool.poetry]\nname='adder'\nversion='1'\ndescription=''\nauthors=[]\npackages=[{include='adder', from='src'}]\n"
         "[tool.poetry.dependencies]\npython='^3.9'\n[tool.poetry.group.dev.dependencies]\npytest='^8.0'\n",
         "poetry.lock": "[[package]]\nname='pytest'\nversion='8.1.1'\n"},
        {"pyproject.toml": "[build-system]\nrequires=['pdm-backend']\nbuild-backend='pdm.backend'\n"
         "[project]\nname='adder'\nversion='1'\n[tool.pdm.dev-dependencies]\ntest=['pytest<9']\n"},
        {"Pipfile": "[packages]\n[dev-packages]\npytest='<9'\n"},
        {"pyproject.toml": "[project]\nname='adder'\nversion='1'\n[dependency-groups]\ndev=['pytest<9']\n"
         "[build-system]\nrequires=['hatchling']\nbuild-backend='hatchling.build'\n"},
        {"pyproject.toml": "[project]\nname='adder'\ndynamic=['version']\n[tool.setuptools_scm]\nwrite_to='src/adder/_version.py'\n"
         "[build-system]\nrequires=['setuptools', 'setuptools-scm']\nbuild-backend='setuptools.build_meta'\n",
         "CHANGES.md": "# 3.4.5\n",
         "tests/test_version.py": "from adder._version import version\ndef test_version(): assert version == '3.4.5'\n"},
        {"requirements-dev.txt": "pytest<9\n"},
    ],
    ids=["poetry", "pdm", "pipenv", "groups", "scm", "requirements"],
)  # fmt: skip
async def test_managers(project: Callable[..., Project], files: dict[str, str]) -> None:
    built = project({**CODE, **TESTS, **files})

    run = await built.tested()

    more = {"tests/test_version.py::test_version": P} if "CHANGES.md" in files else {}
    assert dict(run.results) == {**EXPECTED, **more}


UNITTEST = """
import unittest
from adder import add
class TestAdd(unittest.TestCase):
    def test_adds(self): self.assertEqual(add(1, 2), 3)
    def test_fails(self): self.assertEqual(add(1, 2), 4)
    def test_errs(self): add(1)
    @unittest.skip("later")
    def test_waits(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number): self.assertNotEqual(number, 1)
"""
UNITTEST_EXPECTED = {"adds": P, "fails": F, "errs": E, "waits": S, "expected": S, "parts": F}


async def test_unittest_is_read_test_by_test(project: Callable[..., Project]) -> None:
    makefile = "test:\n\tpython -m unittest discover -s tests\n"
    built = project({**CODE, **SETUP, "Makefile": makefile, "tests/test_it.py": UNITTEST})

    run = await built.tested()

    assert built.plan.runner == "unittest"
    assert dict(run.results) == {
        f"test_it.TestAdd.test_{name}": status for name, status in UNITTEST_EXPECTED.items()
    }


async def test_a_test_program_of_the_projects_own_is_read_as_well(project: Callable[..., Project]) -> None:
    program = "import test_it, unittest\nunittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(test_it))\n"
    built = project({**CODE, **SETUP, "tests/runtests.py": program, "tests/test_it.py": UNITTEST})

    run = await built.tested()

    assert (built.plan.test, len(run.results), run.count(F)) == ("cd tests && python runtests.py", 6, 2)


async def test_django_projects(project: Callable[..., Project]) -> None:
    manage = "import os, sys\nos.environ['DJANGO_SETTINGS_MODULE'] = 'settings'\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n"
    tests = "from django.test import SimpleTestCase\nclass T(SimpleTestCase):\n    def test_a(self): pass\n    def test_b(self): assert False\n"
    built = project({
        "manage.py": manage, "settings.py": "SECRET_KEY = 'x'\nINSTALLED_APPS = ['app']\n", "requirements.txt": "django<6\n",
        "app/__init__.py": "", "app/tests.py": tests,
    })  # fmt: skip

    run = await built.tested()

    assert built.plan.runner == "django"
    assert dict(run.results) == {"app.tests.T.test_a": P, "app.tests.T.test_b": F}


@pytest.mark.skipif(
    not shutil.which("gcc") or not Path(sysconfig.get_path("include"), "Python.h").exists(),
    reason="no C compiler",
)
async def test_a_compiled_extension_is_shown_in_each_fresh_tree(project: Callable[..., Project]) -> None:
    source = """
#include <Python.h>
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_fast"};
PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&def); }
"""
    setup = "from setuptools import setup, Extension\nsetup(name='f', version='1', packages=['f'], ext_modules=[Extension('f._fast', ['f/fast.c'])])\n"
    built = project({
        "setup.py": setup, "f/__init__.py": "from f import _fast\n", "f/fast.c": source,
        "tests/test_f.py": "import f\ndef test_f(): assert f._fast\n",
    })  # fmt: skip

    assert dict((await built.tested()).results) == {"tests/test_f.py::test_f": P}


async def test_a_script_sees_the_project_and_what_it_executes_is_told(
    project: Callable[..., Project],
) -> None:
    built = project({**CODE, **SETUP})
    environment = await built.installed()
    script = b"import subprocess, sys, adder.unused\nsubprocess.run([sys.executable, '-c', 'import adder; print(adder.add(2, 3))'], check=True)\n"
    command = SandboxCommand(
        argv=built.toolchain.script(environment, "/tmp/poc.py"), tree=built.tree, files={"/tmp/poc.py": script},
        mounts=environment.mounts, env=environment.env,
    )  # fmt: skip

    execution = await built.sandbox.run(command)
    covered = await built.toolchain.covered(environment, built.tree, built.sandbox, command)
    only_loaded = await built.toolchain.covered(
        environment,
        built.tree,
        built.sandbox,
        replace(command, files={"/tmp/poc.py": b"import adder.unused\n"}),
    )

    assert (execution.exit_code, execution.stdout) == (0, "5\n")
    assert covered == {"src/adder/__init__.py"}
    assert only_loaded == {"src/adder/__init__.py", "src/adder/unused.py"}


async def test_what_cannot_be_installed_says_why_and_shows_each_way(project: Callable[..., Project]) -> None:
    built = project({"a.py": ""}, BuildConfig(install=("echo once; exit 3",)))

    with pytest.raises(EnvironmentFailedError, match="could not be installed; 1 ways were tried") as caught:
        await built.installed()

    assert "once" in caught.value.log
    assert not caught.value.retryable
