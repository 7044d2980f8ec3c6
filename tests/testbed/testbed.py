"""The testbed as tests hold it: started once, filled by people's hands, asked what it saw."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import requests
from aiohttp import web

from bot.github.hosts import GitHubConfig
from handlers import subjects
from handlers.intents import Repository
from tests.testbed.emulator import Emulator
from tests.testbed.extras import Extras
from tests.testbed.faults import FaultPlan
from tests.testbed.front import Emulate, Front
from tests.testbed.gitstore import GitStore
from tests.testbed.hooks import Hooks
from tests.testbed.openapi import Judge
from tests.testbed.packages import install
from tests.testbed.state import Exchange, State
from tests.testbed.world import APP_ID, INSTALLATION_ID, ORGANISATION, World, private_key, token

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from handlers.intents import Subject


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who uses GitHub by hand; asks the emulator directly, past the judge."""

    url: str
    login: str

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of a successful call."""
        headers = {"Authorization": f"Bearer {token(self.login)}"}
        answer = requests.request(method, self.url + path, json=body, headers=headers, timeout=30)
        if not answer.ok:
            raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if answer.content else None


@dataclass(kw_only=True)
class Testbed:
    """A GitHub with one organisation, some people and one App; use as a context manager."""

    __test__ = False

    folder: Path
    port: int = 0
    state: State = field(default_factory=State)
    faults: FaultPlan = field(default_factory=FaultPlan)

    def __enter__(self) -> Self:
        install()
        self.port = self.port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        seed = self.folder / "seed.json"
        World(webhook_url=f"{self.url}/_hooks").write(seed)
        self._emulator = Emulator(seed=seed, port=free_port(), base_url=self.url)
        self.judge = Judge()
        emulate = Emulate(self._emulator.url)
        self.extras = Extras(self.state, self.judge, emulate)
        self.hooks = Hooks(self.state, self.extras)
        self.front = Front(
            state=self.state,
            judge=self.judge,
            faults=self.faults,
            emulate=emulate,
            extras=self.extras,
            hooks=self.hooks,
            git=GitStore(self.folder / "git", emulate),
        )
        self._emulator.wait()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="testbed", daemon=True)
        self._thread.start()
        self._in_loop(self._serve())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._in_loop(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
        self._emulator.stop()

    def config(self, **changes: Any) -> GitHubConfig:
        """Return the App's configuration for this GitHub; writes are hurried for tests."""
        settings: dict[str, Any] = {
            "app_id": APP_ID,
            "private_key": private_key(),
            "api_url": self.url,
            "write_seconds": 0.0,
            "backoff": 0.01,
        }
        return GitHubConfig(**{**settings, **changes})

    def person(self, login: str) -> Person:
        """Return somebody to act for."""
        return Person(self._emulator.url, login)

    def repository(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        name: str = "",
        modes: Mapping[str, str] | None = None,
        private: bool = False,
    ) -> Repository:
        """Create a repository with one commit on ``main``; ``files`` None leaves it empty."""
        owner = self.person("owner")
        name = name or f"r{uuid4().hex[:10]}"
        made = owner.ask("POST", f"/orgs/{ORGANISATION}/repos", {"name": name, "private": private})
        full_name = made["full_name"]
        for login, level in (("maintainer", "push"), ("triager", "triage"), ("helper-bot", "push")):
            owner.ask("PUT", f"/repos/{full_name}/collaborators/{login}", {"permission": level})
        if files is not None:
            self.commit(full_name, files, branch="main", message="Begin", modes=modes or {}, create=True)
        return Repository(
            id=made["id"],
            full_name=full_name,
            installation_id=INSTALLATION_ID,
            default_branch="main",
            private=private,
        )

    def commit(
        self,
        full_name: str,
        files: Mapping[str, bytes | None],
        *,
        branch: str,
        message: str = "Change",
        modes: Mapping[str, str] | None = None,
        create: bool = False,
        by: str = "owner",
        parent: str = "",
    ) -> str:
        """Commit as a person does; ``create`` starts the branch at ``parent`` (empty: from nothing)."""
        person, base = self.person(by), f"/repos/{full_name}/git"
        parent = parent or ("" if create else self.head(full_name, branch))
        items: list[dict[str, Any]] = []
        for path, content in files.items():
            mode = (modes or {}).get(path, "100644")
            sha = None if content is None else self._blob(person, base, content)
            items.append({"path": path, "mode": mode, "type": "blob", "sha": sha})
        tree: dict[str, Any] = {"tree": items}
        if parent:
            tree["base_tree"] = person.ask("GET", f"{base}/commits/{parent}")["tree"]["sha"]
        made = person.ask("POST", f"{base}/trees", tree)
        who = {"name": by.title(), "email": f"{by}@example.test", "date": "2026-01-02T03:04:05Z"}
        parents = [parent] if parent else []
        commit = {
            "message": message,
            "tree": made["sha"],
            "parents": parents,
            "author": who,
            "committer": who,
        }
        sha = str(person.ask("POST", f"{base}/commits", commit)["sha"])
        if create:
            person.ask("POST", f"{base}/refs", {"ref": f"refs/heads/{branch}", "sha": sha})
        else:
            person.ask("PATCH", f"{base}/refs/heads/{branch}", {"sha": sha})
        return sha

    def issue(
        self,
        repository: Repository,
        title: str,
        body: str,
        *,
        labels: tuple[str, ...] = (),
        by: str = "reporter",
    ) -> Subject:
        """Open an issue as a person."""
        wanted = {"title": title, "body": body, "labels": list(labels)}
        made = self.person(by).ask("POST", f"/repos/{repository.full_name}/issues", wanted)
        return subjects.issue(made["number"])

    def label(self, repository: Repository, issue: Subject, name: str, *, by: str = "maintainer") -> None:
        """Label an issue or pull request as a person."""
        path = f"/repos/{repository.full_name}/issues/{issue.number}/labels"
        self.person(by).ask("POST", path, {"labels": [name]})

    def comment(self, repository: Repository, issue: Subject, body: str, *, by: str) -> int:
        """Comment on an issue or pull request as a person."""
        path = f"/repos/{repository.full_name}/issues/{issue.number}/comments"
        return int(self.person(by).ask("POST", path, {"body": body})["id"])

    def comments(self, repository: Repository, issue: Subject) -> list[dict[str, Any]]:
        """Return the comments of an issue or pull request."""
        path = f"/repos/{repository.full_name}/issues/{issue.number}/comments?per_page=100"
        return list(self.person("owner").ask("GET", path))

    def pulls(self, repository: Repository) -> list[dict[str, Any]]:
        """Return all pull requests, with the heads their branches have."""
        found = self.person("owner").ask("GET", f"/repos/{repository.full_name}/pulls?state=all")
        for pull in found:
            self._in_loop(self.extras.with_head(repository.full_name, pull))
        return list(found)

    def checks(self, repository: Repository, sha: str) -> list[dict[str, Any]]:
        """Return the check runs of a commit."""
        path = f"/repos/{repository.full_name}/commits/{sha}/check-runs?filter=all"
        return list(self.person("owner").ask("GET", path)["check_runs"])

    def rename(self, repository: Repository) -> str:
        """Rename a repository as its owner; return the new name. The old one leads there from now on."""
        new = f"new-{repository.full_name.rpartition('/')[2]}"
        made = self.person("owner").ask("PATCH", f"/repos/{repository.full_name}", {"name": new})
        self.state.renamed[repository.full_name] = str(repository.id)
        self.state.names[repository.full_name] = made["full_name"]
        return str(made["full_name"])

    def head(self, full_name: str, branch: str = "main") -> str:
        """Return the commit of a branch."""
        found = self.person("owner").ask("GET", f"/repos/{full_name}/git/ref/heads/{branch}")
        return str(found["object"]["sha"])

    def file(self, full_name: str, path: str, ref: str) -> bytes:
        """Return the bytes of a file."""
        found = self.person("owner").ask("GET", f"/repos/{full_name}/contents/{path}?ref={ref}")
        return base64.b64decode(found["content"])

    def emit(self, event: str, payload: dict[str, Any]) -> None:
        """Deliver an event that the emulator does not know."""
        self._in_loop(self.hooks.send(event, payload, str(uuid4())))

    def payload(self, repository: Repository, action: str, by: str, **parts: Any) -> dict[str, Any]:
        """Return an event's payload with the real repository and person in it."""
        return {
            "action": action,
            **parts,
            "repository": self.person("owner").ask("GET", f"/repos/{repository.full_name}"),
            "sender": self.person("owner").ask("GET", f"/users/{by}"),
            "installation": {"id": repository.installation_id},
        }

    def by_the_app(self, since: int = 0) -> list[Exchange]:
        """Return what the App asked, from the exchange with this number on."""
        with self.state.lock:
            return self.state.exchanges[since:]

    def _blob(self, person: Person, base: str, content: bytes) -> str:
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return str(person.ask("POST", f"{base}/blobs", body)["sha"])

    async def _serve(self) -> None:
        self._runner = web.AppRunner(self.front.application(), access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()

    def _in_loop(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


def free_port() -> int:
    """Return a port nobody listens on."""
    with contextlib.closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
