"""The releases of the demonstration: described by name and digest, fetched once, unpacked anew each time."""

from __future__ import annotations

import hashlib
import io
import tarfile
from typing import TYPE_CHECKING

import pytest

from agent.domain.execution import Phase
from bot.demo.releases import DemoError, Release, bring, read_demos
from tests.fakes.sandbox import ScriptedSandbox, build_execution

if TYPE_CHECKING:
    from pathlib import Path


def build_archive(**files: str) -> bytes:
    """Return a gzipped tar archive with ``files`` below ``package``."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()


def build_release(content: bytes, ecosystem: str = "npm") -> Release:
    return Release(
        ecosystem=ecosystem,  # type: ignore[arg-type] # one of two words
        package="settle",
        version="1.0.0",
        artifact="settle-1.0.0.tgz",
        sha256=hashlib.sha256(content).hexdigest(),
        folder="package",
        rule="a-rule",
        file="index.js",
    )


@pytest.mark.parametrize(("ecosystem", "client"), [("npm", "npm"), ("pypi", "sh")])
async def test_a_release_is_fetched_by_its_registrys_client(
    tmp_path: Path, ecosystem: str, client: str
) -> None:
    content = build_archive(index="1")
    sandbox = ScriptedSandbox().on((client,), build_execution(collected={"/tmp/settle-1.0.0.tgz": content}))
    project = await bring(build_release(content, ecosystem), tmp_path, sandbox)
    assert (project / "index").read_text() == "1"
    assert [command.phase for command in sandbox.commands] == [Phase.INSTALL]


async def test_a_release_is_fetched_once_and_unpacked_anew(tmp_path: Path) -> None:
    content = build_archive(index="1")
    sandbox = ScriptedSandbox().on("npm", build_execution(collected={"/tmp/a": content}))
    project = await bring(build_release(content), tmp_path, sandbox)
    (project / "index").write_text("changed")
    again = await bring(build_release(content), tmp_path, sandbox)
    assert (again / "index").read_text() == "1"
    assert len(sandbox.commands) == 1


async def test_another_file_than_the_one_described_is_refused(tmp_path: Path) -> None:
    sandbox = ScriptedSandbox().on("npm", build_execution(collected={"/tmp/a": build_archive(index="2")}))
    with pytest.raises(DemoError, match="its digest differs"):
        await bring(build_release(build_archive(index="1")), tmp_path, sandbox)


@pytest.mark.parametrize(
    ("execution", "said"),
    [
        (build_execution(exit_code=1, stderr="npm ERR!\nno such package\n"), "no such package"),
        (build_execution(), "no output"),
    ],
)
async def test_a_release_that_cannot_be_fetched_says_why(
    tmp_path: Path, execution: object, said: str
) -> None:
    sandbox = ScriptedSandbox().on("npm", execution)  # type: ignore[arg-type] # an Execution
    with pytest.raises(DemoError, match=f"settle 1.0.0 could not be fetched: {said}"):
        await bring(build_release(b""), tmp_path, sandbox)


@pytest.mark.parametrize("text", ["ecosystem: npm\n", "[", "ecosystem: npm\npackage: a/../../b\n"])
def test_a_description_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "demo.yaml").write_text(text)
    with pytest.raises(DemoError, match=r"demo\.yaml cannot be read"):
        read_demos(tmp_path)


def test_a_folder_without_demonstrations_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="there is no demonstration"):
        read_demos(tmp_path)
