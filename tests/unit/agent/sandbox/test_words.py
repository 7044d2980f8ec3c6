"""The pure words: capture, placement, variables, script and advice."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.execution import Phase, SandboxCommand
from agent.sandbox.advice import advice
from agent.sandbox.capture import Capture
from agent.sandbox.config import SandboxConfig
from agent.sandbox.placement import UnsafePathError, placed
from agent.sandbox.script import collecting, inside, unpacking
from agent.sandbox.variables import CLEAN, certificate_paths, inside_variables, without_credentials


class TestCapture:
    @given(st.lists(st.binary(max_size=50)), st.integers(min_value=0, max_value=60))
    def test_head_and_tail_are_kept_whatever_the_chunks(self, chunks: list[bytes], limit: int) -> None:
        capture, whole = Capture(limit), b"".join(chunks)
        for chunk in chunks:
            capture.feed(chunk)
        head, tail = limit - limit // 2, limit // 2
        assert (capture.seen, capture.dropped) == (len(whole), max(0, len(whole) - limit))
        if capture.dropped:
            first, last = whole[:head], whole[len(whole) - tail :]
            middle = f"\n[... {capture.dropped} bytes left out ...]\n"
            assert capture.text() == first.decode(errors="replace") + middle + last.decode(errors="replace")
        else:
            assert capture.text() == whole.decode(errors="replace")

    def test_a_long_stream_takes_bounded_memory(self) -> None:
        capture = Capture(100)
        for _ in range(100):
            capture.feed(b"x" * 10_000)
        assert len(capture._tail) < 80_000
        assert capture.dropped == 999_900


class TestPlacement:
    def test_keys_land_below_work_or_tmp(self) -> None:
        files = {"a/b": b"1", "/work/c": b"2", "/tmp/d": b"3"}
        assert placed(files, None) == {"work/a/b": b"1", "work/c": b"2", "tmp/d": b"3"}

    @pytest.mark.parametrize(
        "key", ["../x", "a/../../x", "/etc/passwd", "", "/tmp/../x", "/", "a\0b", "/tmpx/y"]
    )
    def test_other_places_are_refused(self, key: str) -> None:
        with pytest.raises(UnsafePathError):
            placed({key: b""}, None)

    def test_a_link_inside_the_tree_is_followed_and_one_that_leaves_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "alias").symlink_to("real")
        (tmp_path / "out").symlink_to("/")
        (tmp_path / "real" / "last").symlink_to("/etc/passwd")
        files = {"alias/x": b"1", "alias/last": b"2", "real/y": b"3"}
        assert placed(files, tmp_path) == {"work/real/x": b"1", "work/real/last": b"2", "work/real/y": b"3"}
        with pytest.raises(UnsafePathError, match="leaves the project"):
            placed({"out/etc/x": b""}, tmp_path)
        assert UnsafePathError.retryable is False


HOST = {
    "PIP_INDEX_URL": "https://user:token@index.example/simple",
    "SSL_CERT_FILE": "/etc/ca.pem",
    "HTTPS_PROXY": "http://proxy.example:3128",
    "GITHUB_TOKEN": "secret",
    "NODE_EXTRA_CA_CERTS": "relative.pem",
}


class TestVariables:
    def config(self, **fields: bool) -> SandboxConfig:
        return SandboxConfig(cache=Path("/c"), environment=HOST, **fields)  # type: ignore[arg-type]

    def test_a_run_sees_nothing_of_the_host(self) -> None:
        command = SandboxCommand(argv=("x",), env={"PATH": "/env/bin", "A": "1"})
        assert inside_variables(command, self.config()) == {**CLEAN, "PATH": "/env/bin", "A": "1"}

    def test_an_install_sees_registries_without_their_credentials(self) -> None:
        seen = inside_variables(SandboxCommand(argv=("x",), phase=Phase.INSTALL), self.config())
        assert seen["PIP_INDEX_URL"] == "https://index.example/simple"
        assert (seen["HTTPS_PROXY"], "GITHUB_TOKEN" in seen) == ("http://proxy.example:3128", False)

    def test_the_operator_may_allow_credentials(self) -> None:
        command = SandboxCommand(argv=("x",), phase=Phase.INSTALL)
        seen = inside_variables(command, self.config(registry_credentials=True))
        assert seen["PIP_INDEX_URL"] == HOST["PIP_INDEX_URL"]

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("https://t@a/x https://u:p@b/y", "https://a/x https://b/y"),
            ("name=https://u:p%40@c", "name=https://c"),
            ("git@host:x", "git@host:x"),
            ("https://a/@scope/x", "https://a/@scope/x"),
            ("https://u:p@ss@a/x", "https://a/x"),
        ],
    )
    def test_the_user_part_of_every_address_is_left_out(self, value: str, expected: str) -> None:
        assert without_credentials(value) == expected

    def test_certificates_are_named_by_absolute_paths(self) -> None:
        assert certificate_paths(HOST) == ("/etc/ca.pem",)


class TestScript:
    def test_arguments_are_never_parsed(self, tmp_path: Path) -> None:
        program = inside(cwd=str(tmp_path), ready="ready 1", unpack="")
        odd = ["a b", "$(touch evil)", "';", "*", "new\nline"]
        seen = subprocess.run(
            ["sh", "-c", program, "sh", "printf", "%s|", *odd], capture_output=True, text=True, check=True
        )
        assert (seen.stdout, seen.stderr) == ("".join(f"{word}|" for word in odd), "ready 1")
        assert list(tmp_path.iterdir()) == []

    def test_a_failed_set_up_never_says_ready(self) -> None:
        program = inside(cwd="/no such folder", ready="ready 1", unpack="")
        seen = subprocess.run(
            ["sh", "-c", program, "sh", "true"], capture_output=True, text=True, check=False
        )
        assert (seen.returncode, "ready" in seen.stderr) == (125, False)

    def test_the_commands_code_survives_collecting(self, tmp_path: Path) -> None:
        program = inside(cwd=str(tmp_path), ready="r", unpack="", collect="echo collected")
        seen = subprocess.run(
            ["sh", "-c", program, "sh", "sh", "-c", "exit 7"], capture_output=True, text=True, check=False
        )
        assert (seen.returncode, seen.stdout) == (7, "collected\n")

    def test_paths_are_quoted(self) -> None:
        assert shlex.split(unpacking("/a b"))[3] == "--directory=/a b"
        words = shlex.split(collecting(["x y", "-z"], to="/p q", root="/r s"))
        assert ("--file=/p q" in words, words[words.index("--") + 1 : -1]) == (True, ["x y", "-z"])


class TestAdvice:
    @pytest.mark.parametrize(
        ("message", "settings", "reason", "remedy"),
        [
            (
                "bwrap: Permission denied",
                {"kernel/apparmor_restrict_unprivileged_userns": "1"},
                "AppArmor",
                "apparmor",
            ),
            (
                "bwrap: No permissions",
                {"kernel/unprivileged_userns_clone": "0"},
                "ordinary users",
                "userns_clone=1",
            ),
            ("bwrap: x", {"user/max_user_namespaces": "0"}, "no user namespace", "max_user_namespaces=10000"),
            (
                "bwrap: Operation not permitted",
                {"user/max_user_namespaces": "9"},
                "are refused",
                "seccomp=unconfined",
            ),
            ("bwrap: Unknown option --disable-userns", {}, "older than 0.8", "Upgrade"),
            (
                "Cannot connect to the Docker daemon",
                {"user/max_user_namespaces": "0"},
                "not answer",
                "systemctl",
            ),
            ("something else", {}, "does not start", "bwrap --help"),
        ],
    )
    def test_each_cause_has_its_remedy(
        self, message: str, settings: dict[str, str], reason: str, remedy: str
    ) -> None:
        found = advice(message, settings)
        assert (reason in found.reason, message in found.reason, remedy in found.remedy) == (True, True, True)


def test_the_environment_of_the_tests_is_not_what_is_tested() -> None:
    """The package reads no process environment: a variable set here changes nothing."""
    os.environ["PIP_INDEX_URL"] = "https://elsewhere.example"
    try:
        command = SandboxCommand(argv=("x",), phase=Phase.INSTALL)
        assert "PIP_INDEX_URL" not in inside_variables(command, SandboxConfig(cache=Path("/c")))
    finally:
        del os.environ["PIP_INDEX_URL"]
