"""Installing, testing and covering ask the sandbox for the right thing and read its answer rightly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import Coverage, KillReason, Mount, Phase, SandboxCommand
from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestStatus
from agent.errors import EnvironmentFailedError, ProjectError
from agent.toolchains import registry
from agent.toolchains.javascript import JavaScriptToolchain
from agent.toolchains.python import PythonToolchain, interpreters
from tests.fakes.sandbox import ScriptedSandbox, build_execution

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.domain.execution import Execution
    from agent.ports import Toolchain

RESULTS = "/tmp/suture/results"
OUTPUT = "/tmp/suture/output"


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[PythonToolchain, JavaScriptToolchain]]:
    python, javascript = registry.toolchains(tmp_path / "cache")
    yield python, javascript
    python.cache.close()


def build_plan(language: str = "python", **fields: object) -> ProjectPlan:
    values: dict[str, object] = {
        "language": language, "manager": "pip", "runner": "pytest", "install": ("one",), "test": "pytest tests",
        "digest": "d", "interpreter": "/usr/bin/python3", **fields,
    }  # fmt: skip
    return ProjectPlan(**values)  # type: ignore[arg-type]


def build_environment(language: str = "python", **fields: object) -> Environment:
    return Environment(plan=build_plan(language, **fields))


def lines(**outcomes: str) -> bytes:
    found = [{"id": name, "phase": "call", "outcome": outcome} for name, outcome in outcomes.items()]
    return "\n".join(json.dumps(one) for one in [*found, {"id": "", "phase": "end", "outcome": "0"}]).encode()


class TestDetect:
    def test_a_path_that_is_no_project_is_told_in_one_line(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        tree = tmp_path / "tree"
        with pytest.raises(ProjectError, match="is no folder"):
            registry.detect(tree, BuildConfig(), both)
        tree.mkdir()
        with pytest.raises(ProjectError, match="is empty"):
            registry.detect(tree, BuildConfig(), both)
        (tree / "README").write_text("x")
        with pytest.raises(ProjectError, match="holds no Python or JavaScript project"):
            registry.detect(tree, BuildConfig(), both)

    def test_a_manifest_goes_before_files_and_configuration_before_both(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        (tmp_path / "package.json").write_text('{"scripts": {"test": "mocha"}}')
        (tmp_path / "tool.py").write_text("x")

        assert registry.detect(tmp_path, BuildConfig(), both)[0].language == "javascript"
        assert registry.detect(tmp_path, BuildConfig(python="3.11"), both)[0].language == "python"
        assert registry.detect(tmp_path, BuildConfig(node="20"), both)[0].language == "javascript"

    def test_the_interpreters_of_this_machine_hold_our_own(self, tmp_path: Path) -> None:
        (tmp_path / "python3.99").touch()
        (tmp_path / "python3.99-config").touch()

        assert set(interpreters((tmp_path, tmp_path / "gone"))) > {"3.99"}

    def test_a_machine_without_node_still_detects(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        (tmp_path / "package.json").write_text('{"name": "x"}')
        missing = JavaScriptToolchain(cache=both[0].cache, packages=tmp_path, program=str(tmp_path / "none"))

        found = missing.detect(tmp_path, BuildConfig())

        assert found is not None
        assert found.origins["interpreter"] == "Node 20 of this machine"


class TestInstall:
    async def test_ways_are_tried_from_nothing_until_one_holds_and_then_cached(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        def hold(command: SandboxCommand) -> Execution:
            env = next(mount.host for mount in command.mounts if mount.inside == "/env")
            assert not any(env.iterdir())
            (env / "built/pkg").mkdir(parents=True)
            (env / "built/pkg/_fast.so").touch()
            return build_execution()

        sandbox = (
            ScriptedSandbox()
            .on("echo '+ two'", hold)
            .on("bash", build_execution(exit_code=1, stderr="no solution"))
        )
        plan = build_plan(fallbacks=(("two",), ("three",)), env={"A": "1"})

        first = await both[0].install(plan, tmp_path, sandbox)
        second = await both[0].install(plan, tmp_path, sandbox)

        assert [command.phase for command in sandbox.commands] == [Phase.INSTALL, Phase.INSTALL]
        assert (first.cached, second.cached, first.mounts == second.mounts) == (False, True, True)
        assert "/work/pkg/_fast.so" in {mount.inside for mount in first.mounts}
        assert not any(mount.writable or mount.inside.startswith("/opt/suture") for mount in first.mounts)
        assert (first.env["A"], first.env["VIRTUAL_ENV"]) == ("1", "/env/venv")
        tried = both[0].cache.facts("d")["tried"]
        assert isinstance(tried, list)
        assert [one.get("reason") for one in tried] == ["no solution", None]

    @pytest.mark.parametrize(
        ("execution", "reason", "retryable"),
        [
            (
                build_execution(exit_code=1, stdout="a\nerror: no such package\nbye"),
                "error: no such package",
                False,
            ),
            (build_execution(exit_code=1, stderr="error sending request"), "error sending request", True),
            (
                build_execution(exit_code=None, killed_by=KillReason.MEMORY),
                r"\[stopped: memory limit\]",
                False,
            ),
        ],
    )
    async def test_when_no_way_holds_the_reason_and_the_logs_are_told(
        self,
        both: tuple[PythonToolchain, JavaScriptToolchain],
        tmp_path: Path,
        execution: Execution,
        reason: str,
        retryable: bool,
    ) -> None:
        sandbox = ScriptedSandbox().on("bash", execution)

        with pytest.raises(EnvironmentFailedError, match=f"1 ways were tried: {reason}") as caught:
            await both[0].install(build_plan(), tmp_path, sandbox)

        assert (caught.value.retryable, caught.value.log.startswith("way 1\n")) == (retryable, True)
        assert both[0].cache.entries() == ()

    async def test_an_interpreter_of_its_own_place_is_shown(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on("bash", build_execution())

        found = await both[0].install(build_plan(interpreter="/opt/py/bin/python3"), tmp_path, sandbox)

        assert any(mount.inside == "/opt/py" for mount in found.mounts)

    async def test_node_modules_workspaces_and_links_are_shown_at_their_places(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        def installed(command: SandboxCommand) -> Execution:
            env = next(mount.host for mount in command.mounts if mount.inside == "/env")
            (env / "nested/packages/a/node_modules/x/node_modules").mkdir(parents=True)
            (env / "links/node_modules").mkdir(parents=True)
            return build_execution()

        sandbox = ScriptedSandbox().on("bash", installed)

        found = await both[1].install(build_plan("javascript", interpreter="node"), tmp_path, sandbox)

        assert [mount.inside for mount in found.mounts] == [
            "/env", "/work/node_modules", "/tmp/node_modules", "/work/packages/a/node_modules",
        ]  # fmt: skip

    async def test_links_that_an_install_left_lead_nowhere(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        secret = tmp_path / "secret"
        (secret / "node_modules").mkdir(parents=True)
        (secret / "key.so").touch()

        def trapped(command: SandboxCommand) -> Execution:
            env = next(mount.host for mount in command.mounts if mount.inside == "/env")
            (env / "links").symlink_to(secret)
            (env / "nested/a").mkdir(parents=True)
            (env / "nested/a/node_modules").symlink_to(secret)
            (env / "nested/b").symlink_to(secret)
            (env / "built").mkdir()
            (env / "built/x.so").symlink_to(secret / "key.so")
            (env / "built/y").symlink_to(secret)
            return build_execution()

        def replaced(command: SandboxCommand) -> Execution:
            env = next(mount.host for mount in command.mounts if mount.inside == "/env")
            (env / "built").symlink_to(secret)
            return build_execution()

        first = await both[1].install(
            build_plan("javascript"), tmp_path, ScriptedSandbox().on("bash", trapped)
        )
        second = await both[0].install(
            build_plan(digest="e"), tmp_path, ScriptedSandbox().on("bash", replaced)
        )

        assert [mount.inside for mount in first.mounts] == ["/env", "/work/node_modules"]
        assert [mount.inside for mount in second.mounts] == ["/env"]

    async def test_what_another_run_built_while_we_waited_is_taken(
        self,
        both: tuple[PythonToolchain, JavaScriptToolchain],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        await both[0].install(build_plan(), tmp_path, ScriptedSandbox().on("bash", build_execution()))
        cache = both[0].cache
        looks = [None, cache.find("d"), cache.find("d")]
        monkeypatch.setattr(type(cache), "find", lambda _self, _digest: looks.pop(0))

        found = await both[0].install(build_plan(), tmp_path, ScriptedSandbox())

        assert not found.cached

    async def test_an_environment_that_goes_while_it_is_built_is_told(
        self,
        both: tuple[PythonToolchain, JavaScriptToolchain],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(type(both[0].cache), "find", lambda _self, _digest: None)

        with pytest.raises(EnvironmentFailedError, match="was removed") as caught:
            await both[0].install(build_plan(), tmp_path, ScriptedSandbox().on("bash", build_execution()))

        assert caught.value.retryable


class TestTests:
    async def test_results_are_read_and_the_tree_is_left_alone(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on(
            "bash", build_execution(exit_code=1, collected={RESULTS: lines(a="passed", b="failed")})
        )

        run = await both[0].test(build_environment(), tmp_path, sandbox, files={"x": b"y"}, seconds=9)

        (command,) = sandbox.commands
        assert dict(run.results) == {"a": TestStatus.PASSED, "b": TestStatus.FAILED}
        assert (run.complete, run.usage_error) == (True, None)
        assert (command.phase, command.tree, command.files["x"]) == (Phase.RUN, tmp_path, b"y")
        assert "timeout --kill-after=5 9 bash -c 'pytest tests'" in command.argv[2]

    @pytest.mark.parametrize(
        ("execution", "usage", "complete"),
        [
            (
                build_execution(exit_code=5, stdout="no tests ran"),
                "refused to run (exit 5): no tests ran",
                False,
            ),
            (
                build_execution(exit_code=127, stderr="pytest: not found"),
                "was not found: pytest: not found",
                False,
            ),
            (
                build_execution(exit_code=1, stderr="No module named pytest"),
                "ran no test (exit 1): No module named pytest",
                False,
            ),
            (build_execution(exit_code=0), "ran no test (exit 0): no output", False),
            (
                build_execution(exit_code=121, stdout="gcc: error"),
                "the build before the tests failed: gcc: error",
                False,
            ),
            (build_execution(exit_code=124), None, False),
            (build_execution(exit_code=None, killed_by=KillReason.OUTPUT), None, False),
            (
                build_execution(exit_code=1, collected={RESULTS: lines(a="passed").split(b"\n")[0]}),
                None,
                False,
            ),
        ],
    )
    async def test_what_is_no_result_of_tests_is_told_apart(
        self,
        both: tuple[PythonToolchain, JavaScriptToolchain],
        tmp_path: Path,
        execution: Execution,
        usage: str | None,
        complete: bool,
    ) -> None:
        run = await both[0].test(build_environment(), tmp_path, ScriptedSandbox().on("bash", execution))

        assert run.complete is complete
        assert run.usage_error is None if usage is None else usage in (run.usage_error or "")

    async def test_our_time_limit_counts_as_the_sandboxes(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        run = await both[0].test(
            build_environment(), tmp_path, ScriptedSandbox().on("bash", build_execution(exit_code=137))
        )

        assert (run.execution.timed_out, run.execution.exit_code) == (True, None)

    async def test_pytest_is_asked_again_without_options_it_refuses(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        good = build_execution(collected={RESULTS: lines(a="passed")})
        sandbox = ScriptedSandbox().once("bash", build_execution(exit_code=4), good)
        refused = ScriptedSandbox().on("bash", build_execution(exit_code=4, stderr="usage: no"))

        run = await both[0].test(build_environment(env={"PYTEST_ADDOPTS": "-x"}), tmp_path, sandbox)
        never = await both[0].test(build_environment(), tmp_path, refused)

        assert (run.usage_error, sandbox.commands[1].env["PYTEST_ADDOPTS"]) == (None, "-x -o addopts=")
        assert "usage: no" in (never.usage_error or "")

    async def test_builds_go_before_tests(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on("bash", build_execution())

        await both[0].test(build_environment(build=("make it",)), tmp_path, sandbox)

        assert sandbox.commands[0].argv[2].index("(make it)") < sandbox.commands[0].argv[2].index("timeout")

    async def test_a_program_that_tells_nothing_is_read_by_its_exit_code(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        environment = build_environment("javascript", runner="command", test="lab")

        async def run(execution: Execution) -> object:
            found = await both[1].test(environment, tmp_path, ScriptedSandbox().on("bash", execution))
            return found.usage_error or dict(found.results)

        assert await run(build_execution(exit_code=1)) == {"lab": TestStatus.FAILED}
        assert await run(build_execution(exit_code=0)) == {"lab": TestStatus.PASSED}
        assert await run(build_execution(exit_code=1, collected={OUTPUT: b"not ok 1 - x\n1..1"})) == {
            "x": TestStatus.FAILED
        }
        assert "could not start" in str(
            await run(build_execution(exit_code=1, stderr="Cannot find module 'lab'"))
        )

    async def test_a_project_without_tests_says_so(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        toolchains: tuple[Toolchain, ...] = both
        for toolchain, language in zip(toolchains, ("python", "javascript"), strict=True):
            run = await toolchain.test(
                build_environment(language, runner="", test=""), tmp_path, ScriptedSandbox()
            )

            assert run.usage_error == "the project has no tests that could be found; name them in build.test"

    async def test_node_runners_get_our_reporter(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on("bash", build_execution(collected={RESULTS: lines(a="passed")}))

        run = await both[1].test(
            build_environment("javascript", runner="mocha", test="mocha test"),
            tmp_path,
            sandbox,
            only=("t.js",),
        )

        assert "mocha test t.js --reporter /tmp/suture/suture_mocha.js" in sandbox.commands[0].argv[2]
        assert dict(run.results) == {"a": TestStatus.PASSED}


class TestScripts:
    def test_scripts_run_after_the_build(self, both: tuple[PythonToolchain, JavaScriptToolchain]) -> None:
        python, javascript = both

        assert python.script(build_environment(), "/tmp/a b.py") == ("/env/venv/bin/python", "/tmp/a b.py")
        assert javascript.script(build_environment(), "/tmp/a.js") == ("node", "/tmp/a.js")
        assert python.script(build_environment(build=("make",)), "/tmp/a b.py")[2].endswith(
            "exec /env/venv/bin/python '/tmp/a b.py'"
        )
        assert (
            "(npm run build)"
            in javascript.script(build_environment(build=("npm run build",)), "/tmp/a.js")[2]
        )

    async def test_covering_adds_the_hook_and_reads_its_lines(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on(
            lambda _command: True, build_execution(collected={"/tmp/suture/covered": b"f a.py\nm b.py\n"})
        )
        command = SandboxCommand(
            argv=("run",),
            mounts=(Mount(host=tmp_path, inside="/x"),),
            env={"PYTHONPATH": "/p"},
            collect=("y",),
        )

        found = [await one.covered(build_environment(), tmp_path, sandbox, command) for one in both]
        bare = await both[0].covered(build_environment(), tmp_path, sandbox, SandboxCommand(argv=("run",)))

        python, node, last = sandbox.commands
        assert [*found, bare] == [frozenset({"a.py"})] * 3
        assert (python.env["PYTHONPATH"], last.env["PYTHONPATH"]) == (
            "/tmp/suture/python:/p",
            "/tmp/suture/python",
        )
        assert (python.tree, python.mounts, python.collect) == (
            tmp_path,
            command.mounts,
            ("y", "/tmp/suture/covered"),
        )
        assert (node.env["NODE_V8_COVERAGE"], node.argv[-1]) == ("/tmp/suture/v8", "run")
        assert "SUTURE_FUNCTIONS" not in {*python.env, *node.env}

    async def test_functions_are_told_when_asked_for(
        self, both: tuple[PythonToolchain, JavaScriptToolchain], tmp_path: Path
    ) -> None:
        sandbox = ScriptedSandbox().on(
            lambda _command: True, build_execution(collected={"/tmp/suture/covered": b"f a.py\nd 3 a.py\n"})
        )
        command = SandboxCommand(argv=("run",))
        found = [await one.reached(build_environment(), tmp_path, sandbox, command) for one in both]
        assert found == [Coverage(files=frozenset({"a.py"}), functions=frozenset({("a.py", 3)}))] * 2
        assert [asked.env["SUTURE_FUNCTIONS"] for asked in sandbox.commands] == ["1", "1"]

    def test_the_syntax_of_changed_files_can_be_checked(
        self, both: tuple[PythonToolchain, JavaScriptToolchain]
    ) -> None:
        python, javascript = both

        assert python.syntax_check(build_environment(), ["a.py", "b.js"])[1:] == ("-m", "py_compile", "a.py")
        assert python.syntax_check(build_environment(), ["b.js"]) == ()
        assert "a.js" in " ".join(javascript.syntax_check(build_environment(), ["a.js", "b.py"]))
