"""The demonstration on a release that is already here: the whole way, and what it prints."""

from __future__ import annotations

import hashlib
import io
import tarfile
from typing import TYPE_CHECKING

import pytest
import yaml

from bot.demo.__main__ import main
from tests.projects import JAVASCRIPT, JAVASCRIPT_REPORT, write_project

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox


def write_release(root: Path) -> bytes:
    """Return the project as a registry would publish it."""
    write_project(root / "package", JAVASCRIPT)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(root / "package", "package")
    return buffer.getvalue()


def write_demo(folder: Path, content: bytes, report: str) -> None:
    """Describe the release and its flaw below ``folder``."""
    folder.mkdir(parents=True)
    described = {
        "ecosystem": "npm",
        "package": "settle",
        "version": "1.0.0",
        "artifact": "settle-1.0.0.tgz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "folder": "package",
        "rule": "prototype-pollution",
        "file": "index.js",
    }
    (folder / "demo.yaml").write_text(yaml.safe_dump(described))
    (folder / "report.md").write_text(report)


@pytest.mark.parametrize(
    ("report", "outcome", "code"),
    [
        pytest.param(JAVASCRIPT_REPORT, "1 of 1 fixed", 0, id="fixed"),
        pytest.param("# A flaw\n\nSomewhere in the colours.\n", "0 of 1 fixed", 1, id="not fixed"),
    ],
)
async def test_the_demonstration_tells_how_it_ended(
    tmp_path: Path,
    reachable: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    report: str,
    outcome: str,
    code: int,
) -> None:
    content = write_release(tmp_path)
    write_demo(tmp_path / "demos" / "settle", content, report)
    target = tmp_path / "target"
    (target / "releases").mkdir(parents=True)
    (target / "releases" / "settle-1.0.0.tgz").write_bytes(content)
    monkeypatch.setenv("SUTURE_DATA_DIR", str(reachable))

    assert await main(tmp_path / "demos", target) == code

    shown = capsys.readouterr().out
    assert outcome in shown
    assert str(target / "settle" / "report.html") in shown
    assert ("+++ b/index.js" in shown) == (code == 0)
