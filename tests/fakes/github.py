"""GitHub in memory, or in one file that several processes share; every call is kept to be searched."""

from __future__ import annotations

import copy
import fcntl
import hashlib
import json
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from agent.domain.report import Report
from bot.errors import GitHubError, RepositoryGoneError
from bot.github.errors import HeadMovedError, PublicationRefusedError
from bot.github.policies import HouseRules
from bot.github.pulls import names_one
from bot.github.trees import checked_path
from bot.ports import Publication, PullRequest
from bot.store.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from handlers.intents import Repository, Subject

LOGIN = "suture[bot]"
READING = frozenset(
    {
        "permission",
        "read_file",
        "report",
        "is_open",
        "remarks",
        "failed_checks",
        "pull_request",
        "open_pull_requests",
        "refresh",
        "house_rules",
        "failed_deliveries",
    }
)


class FakeGitHub:
    """One GitHub with any number of repositories, known by id. Writes are idempotent by their keys.

    With ``path`` the state lives in that file, locked for each call, so that a killed process loses nothing.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._state: dict[str, Any] = {
            "permissions": {},
            "files": {},
            "reports": {},
            "repositories": {},
            "comments": {},
            "checks": {},
            "pulls": [],
            "reactions": [],
            "labels": {},
            "house": {},
            "lost": [],
            "closed": [],
            "remarks": {},
            "failed": {},
            "redelivered": [],
            "calls": [],
        }
        self._failures: list[tuple[str, Exception]] = []
        self.on_call: Callable[[str], None] = lambda _name: None
        if path and not path.exists():
            self._save()

    # what a test prepares and looks at

    def allow(self, login: str, role: str) -> None:
        """Give somebody a role."""
        with self._shared() as state:
            state["permissions"][login] = role

    def add_report(self, subject_key: str, report: Report) -> None:
        """Put a report behind a subject."""
        with self._shared() as state:
            state["reports"][subject_key] = encode(report)

    def add_file(self, full_name: str, path: str, content: str) -> None:
        """Put a file on the default branch."""
        with self._shared() as state:
            state["files"][f"{full_name}:{path}"] = content

    def set_repository(self, repository_id: int, **fields: Any) -> None:
        """Say what ``refresh`` finds; ``gone=True`` for a deleted repository."""
        with self._shared() as state:
            state["repositories"].setdefault(str(repository_id), {}).update(fields)

    def add_pull(self, pull: PullRequest, text: str = "") -> None:
        """Open a pull request of somebody else."""
        with self._shared() as state:
            state["pulls"].append({**asdict(pull), "text": text, "key": "", "files": {}, "repository": 0})

    def change_pull(self, number: int, **fields: Any) -> None:
        """Change a pull request as people do: ``state``, ``head_sha`` (a push)."""
        with self._shared() as state:
            for pull in state["pulls"]:
                if pull["number"] == number:
                    pull.update(fields)

    def set_house_rules(self, rules: HouseRules) -> None:
        """Say what the repository asks of contributors."""
        with self._shared() as state:
            state["house"] = encode(rules)

    def close(self, subject_key: str) -> None:
        """Close an issue, advisory or alert."""
        with self._shared() as state:
            state["closed"].append(subject_key)

    def add_remarks(self, review: int, text: str) -> None:
        """Let a review have comments on lines."""
        with self._shared() as state:
            state["remarks"][str(review)] = text

    def add_failed_checks(self, head_sha: str, text: str) -> None:
        """Let checks of a commit have failed."""
        with self._shared() as state:
            state["failed"][head_sha] = text

    def lose(self, *deliveries: int) -> None:
        """Let deliveries not have arrived."""
        with self._shared() as state:
            state["lost"].extend(deliveries)

    def fail(self, method: str, error: Exception, times: int = 1) -> None:
        """Let the next calls of a method fail."""
        self._failures.extend([(method, error)] * times)

    @property
    def state(self) -> dict[str, Any]:
        """Return the state as it is now."""
        with self._shared() as state:
            return copy.deepcopy(state)

    @property
    def pulls(self) -> list[dict[str, Any]]:
        """Return the pull requests that Suture opened."""
        return [pull for pull in self.state["pulls"] if pull["author_login"] == LOGIN]

    @property
    def comments(self) -> dict[str, str]:
        """Return the texts of Suture's comments by ``number:key``."""
        return {place: comment["body"] for place, comment in self.state["comments"].items()}

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return every call, with its arguments as JSON."""
        return list(self.state["calls"])

    def writes(self) -> list[str]:
        """Return the names of the calls that leave a trace."""
        return [call["method"] for call in self.calls if call["method"] not in READING]

    # the port

    async def permission(self, repository: Repository, login: str) -> str:
        """Return the role."""
        with self._call("permission", repository, login) as state:
            return str(state["permissions"].get(login, "none"))

    async def read_file(self, repository: Repository, path: str, ref: str = "") -> bytes | None:
        """Return a file."""
        with self._call("read_file", repository, path, ref) as state:
            content = state["files"].get(f"{repository.full_name}:{path}")
            return None if content is None else str(content).encode()

    async def report(self, repository: Repository, subject: Subject) -> Report:
        """Return the report."""
        with self._call("report", repository, subject) as state:
            if subject.key not in state["reports"]:
                raise GitHubError("not found", status=404, retryable=False)
            return decode(Report, state["reports"][subject.key])

    async def is_open(self, repository: Repository, subject: Subject) -> bool:
        """Say whether nobody closed it."""
        with self._call("is_open", repository, subject) as state:
            return subject.key not in state["closed"]

    async def remarks(self, repository: Repository, number: int, review: int) -> str:
        """Return what a test put there."""
        with self._call("remarks", repository, number, review) as state:
            return str(state["remarks"].get(str(review), ""))

    async def failed_checks(self, repository: Repository, head_sha: str) -> str:
        """Return what a test put there."""
        with self._call("failed_checks", repository, head_sha) as state:
            return str(state["failed"].get(head_sha, ""))

    async def react(self, repository: Repository, subject: Subject, reaction: str) -> None:
        """React once."""
        with self._call("react", repository, subject, reaction) as state:
            place = [repository.id, subject.number, subject.comment_id, reaction]
            if place not in state["reactions"]:
                state["reactions"].append(place)

    async def sticky_comment(self, repository: Repository, number: int, key: str, body: str) -> int:
        """Create or edit by key."""
        with self._call("sticky_comment", repository, number, key, body) as state:
            comments = state["comments"]
            comment = comments.setdefault(f"{number}:{key}", {"id": len(comments) + 1, "body": ""})
            comment["body"] = body
            return int(comment["id"])

    async def check(
        self,
        repository: Repository,
        head_sha: str,
        key: str,
        *,
        status: str,
        conclusion: str = "",
        title: str = "",
        summary: str = "",
        actions: Sequence[tuple[str, str, str]] = (),
    ) -> int:
        """Create or update by key."""
        shown = {"status": status, "conclusion": conclusion, "title": title, "summary": summary}
        with self._call("check", repository, head_sha, key, {**shown, "actions": actions}) as state:
            checks = state["checks"]
            check = checks.setdefault(f"{head_sha}:{key}", {"id": len(checks) + 1})
            check.update(shown, actions=[list(action) for action in actions])
            return int(check["id"])

    async def publish(self, publication: Publication) -> PullRequest:
        """Find by branch, or open; refuse what the real adapter refuses."""
        with self._call("publish", publication.repository, publication) as state:
            if not publication.changes:
                raise PublicationRefusedError("the patch is empty")
            for path in publication.changes:
                checked_path(path)
            if state["repositories"].get(str(publication.repository.id), {}).get("archived"):
                raise PublicationRefusedError("the repository is archived")
            if not publication.branch.startswith("suture/"):
                raise PublicationRefusedError("no branch of Suture's")
            mine = next((p for p in state["pulls"] if p["head_ref"] == publication.branch), None)
            if mine is not None and mine["key"] == publication.key:
                return _pull(mine)
            found = mine["head_sha"] if mine else ""
            if found != publication.expected_head:
                raise HeadMovedError(publication.branch, publication.expected_head, found)
            if mine is None:
                mine = self._open(state, publication)
            mine.update(
                key=publication.key,
                head_sha=hashlib.sha1(f"{publication.key}{found}".encode()).hexdigest(),
                files={**mine["files"], **encode(publication.changes)},
                body=publication.body,
            )
            return _pull(mine)

    async def pull_request(self, repository: Repository, number: int) -> PullRequest:
        """Return one."""
        with self._call("pull_request", repository, number) as state:
            for pull in state["pulls"]:
                if pull["number"] == number:
                    return _pull(pull)
            raise GitHubError("not found", status=404, retryable=False)

    async def open_pull_requests(self, repository: Repository, mentions: Sequence[str]) -> list[PullRequest]:
        """Return those whose text or branch has a mention."""
        with self._call("open_pull_requests", repository, list(mentions)) as state:
            return [
                _pull(pull)
                for pull in state["pulls"]
                if pull["state"] == "open" and names_one(f"{pull['text']} {pull['head_ref']}", mentions)
            ]

    async def add_labels(self, repository: Repository, number: int, labels: Sequence[str]) -> None:
        """Add labels."""
        with self._call("add_labels", repository, number, list(labels)) as state:
            known = state["labels"].setdefault(str(number), [])
            known.extend(label for label in labels if label not in known)

    async def refresh(self, repository: Repository) -> Repository:
        """Return the repository as it is now."""
        with self._call("refresh", repository) as state:
            now = dict(state["repositories"].get(str(repository.id), {}))
            now.pop("gone", None)
            return replace(repository, **{"default_branch": "main", **now})

    async def house_rules(self, repository: Repository) -> HouseRules:
        """Return the rules a test set."""
        with self._call("house_rules", repository) as state:
            return decode(HouseRules, state["house"])

    async def failed_deliveries(self, since_seconds: float) -> list[int]:
        """Return the lost ones."""
        with self._call("failed_deliveries", None, since_seconds) as state:
            return list(state["lost"])

    async def redeliver(self, delivery: int) -> None:
        """Keep what was asked."""
        with self._call("redeliver", None, delivery) as state:
            state["redelivered"].append(delivery)
            state["lost"].remove(delivery)

    # the inside

    def _open(self, state: dict[str, Any], publication: Publication) -> dict[str, Any]:
        number = 1000 + len(state["pulls"])
        pull = {
            "number": number,
            "url": f"https://github.example/{publication.repository.full_name}/pull/{number}",
            "head_ref": publication.branch,
            "head_sha": "",
            "state": "open",
            "author_login": LOGIN,
            "draft": publication.draft,
            "text": publication.title,
            "title": publication.title,
            "base": publication.base_branch,
            "key": "",
            "files": {},
            "repository": publication.repository.id,
        }
        state["pulls"].append(pull)
        return pull

    @contextmanager
    def _call(self, method: str, repository: Repository | None, *arguments: Any) -> Iterator[dict[str, Any]]:
        self.on_call(method)
        with self._shared() as state:
            place = repository.full_name if repository else ""
            state["calls"].append(
                {"method": method, "repository": place, "arguments": [encode(item) for item in arguments]}
            )
            for index, (name, error) in enumerate(self._failures):
                if name == method:
                    del self._failures[index]
                    raise error
            if repository and state["repositories"].get(str(repository.id), {}).get("gone"):
                raise RepositoryGoneError("the repository is gone", status=404, retryable=False)
            yield state

    @contextmanager
    def _shared(self) -> Iterator[dict[str, Any]]:
        if self._path is None:
            yield self._state
            return
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._state = json.loads(self._path.read_text())
            try:
                yield self._state
            finally:
                self._save()

    def _save(self) -> None:
        if self._path:
            fresh = self._path.with_suffix(".new")
            fresh.write_text(json.dumps(self._state))
            fresh.replace(self._path)


def _pull(found: dict[str, Any]) -> PullRequest:
    names = ("number", "url", "head_ref", "head_sha", "state", "author_login", "draft")
    return PullRequest(**{name: found[name] for name in names})
