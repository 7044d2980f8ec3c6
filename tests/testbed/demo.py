"""``make demo-app``: the App at work. A labelled issue on a GitHub on this machine becomes a draft pull request.

The GitHub is the testbed, Suture is ``suture serve`` as an operator starts it, and the repository is a
published release with a published vulnerability. Nothing leaves the machine but the package downloads.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from agent.reports import read_report
from bot.compose import open_workshop
from bot.demo.releases import bring, read_demos
from bot.settings import load_settings
from tests.testbed.testbed import Testbed, free_port
from tests.testbed.world import APP_ID, WEBHOOK_SECRET, private_key

if TYPE_CHECKING:
    from bot.demo.releases import Demo
    from handlers.intents import Repository, Subject

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".demo" / "app"
START_SECONDS, RUN_SECONDS, POLL_SECONDS = 60.0, 1200.0, 1.0


def main(package: str = "") -> int:
    """Show one release being fixed; return 0 when a draft pull request came out."""
    demos = read_demos(ROOT / "tests" / "data" / "demo")
    demo = next((one for one in demos if package in {"", one.release.package}), demos[0])
    files = asyncio.run(_files(demo))
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with Testbed(folder=FOLDER) as bed:
        _say(f"A GitHub runs at {bed.url}.")
        port = free_port()
        server = _serve(bed, port)
        try:
            _ready(server, port)
            bed.hooks.target = f"http://127.0.0.1:{port}/webhook"
            _say(f"Suture serves at http://127.0.0.1:{port}; its log is {FOLDER / 'suture.log'}.")
            return _show(bed, demo, files)
        finally:
            server.terminate()
            server.wait(30)


def _show(bed: Testbed, demo: Demo, files: dict[str, bytes]) -> int:
    repository = bed.repository(files, name=demo.release.package)
    report = read_report(demo.report.read_bytes(), name=demo.report.name)
    issue = bed.issue(repository, report.title, report.body)
    _say(f"{repository.full_name} holds {demo.release.package} {demo.release.version} ({len(files)} files).")
    _say(f"The reporter opens issue #{issue.number}: {report.title}")
    bed.label(repository, issue, "security", by="maintainer")
    _say("A maintainer labels it `security`.\n")
    pull = _watch(bed, repository, issue)
    if pull is None:
        _say("No pull request came out; the log says why.")
        return 1
    _print(bed, repository, pull)
    for violation in bed.front.violations:
        _say(f"not allowed by GitHub: {violation.method} {violation.path}: {violation.problem}")
    return 1 if bed.front.violations else 0


def _watch(bed: Testbed, repository: Repository, issue: Subject) -> dict[str, Any] | None:
    """Repeat what Suture says on the issue until it says its last words."""
    said, end = "", time.monotonic() + RUN_SECONDS
    while time.monotonic() < end:
        for comment in bed.comments(repository, issue):
            words = "\n".join(line for line in comment["body"].splitlines() if not line.startswith("<!--"))
            if words.strip() != said:
                said = words.strip()
                _say(f"{comment['user']['login']}: {said}\n")
        pulls = bed.pulls(repository)
        if pulls and pulls[0]["html_url"] in said:
            return pulls[0]
        if said and "looks into" not in said:
            return None
        time.sleep(POLL_SECONDS)
    return None


def _print(bed: Testbed, repository: Repository, pull: dict[str, Any]) -> None:
    kind = "Draft pull request" if pull["draft"] else "Pull request"
    _say(f"{kind} #{pull['number']} by {pull['user']['login']}: {pull['title']}\n{pull['body']}\n")
    path = f"/repos/{repository.full_name}/compare/{pull['base']['sha']}...{pull['head']['sha']}"
    for file in bed.person("owner").ask("GET", path)["files"]:
        _say(f"--- {file['filename']} ({file['status']})\n{file.get('patch', '')}\n")
    for check in bed.checks(repository, pull["head"]["sha"]):
        _say(f"check {check['name']}: {check['conclusion']}\n{check['output']['summary']}\n")


async def _files(demo: Demo) -> dict[str, bytes]:
    """Return the files of the release."""
    workshop = open_workshop(load_settings())
    project = await bring(demo.release, FOLDER.parent / "releases", workshop.sandbox)
    return await asyncio.to_thread(_read, project)


def _read(project: Path) -> dict[str, bytes]:
    found = (path for path in project.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in sorted(found)}


def _serve(bed: Testbed, port: int) -> subprocess.Popen[bytes]:
    key = FOLDER / "app.pem"
    key.touch(mode=0o600)
    key.write_text(private_key())
    environment = os.environ | {
        "SUTURE_DATA_DIR": str(FOLDER / "data"),
        "SUTURE_CACHE_DIR": str(load_settings().cache_dir),
        "SUTURE_GITHUB_URL": bed.url,
        "SUTURE_GITHUB_API_URL": bed.url,
        "SUTURE_APP_ID": str(APP_ID),
        "SUTURE_PRIVATE_KEY_FILE": str(key),
        "SUTURE_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "SUTURE_PORT": str(port),
    }
    with (FOLDER / "suture.log").open("wb") as log:
        command = [sys.executable, "-m", "bot.cli", "serve"]
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=ROOT)


def _ready(server: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            if requests.get(f"http://127.0.0.1:{port}/readyz", timeout=2).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.2)
    raise SystemExit(f"Suture did not start; see {FOLDER / 'suture.log'}")


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
