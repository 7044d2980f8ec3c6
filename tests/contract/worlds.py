"""What the contract tests of the ``GitHub`` port need to see and do beside the port itself."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.github.client import GitHubApp
from handlers import subjects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.ports import GitHub
    from handlers.intents import Repository, Subject
    from tests.testbed.testbed import Testbed


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as people see it."""

    author: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check run as people see it."""

    key: str
    status: str
    conclusion: str
    title: str
    buttons: tuple[str, ...]


class World(Protocol):
    """GitHub as people, not the App, see it. People: owner, maintainer, triager, stranger, reporter."""

    @property
    def bot(self) -> str:
        """Return the login of the App's own user."""
        ...

    def client(self) -> GitHub:
        """Return the port under test as a process that just started has it: it remembers nothing."""
        ...

    def repository(self, files: Mapping[str, bytes], modes: Mapping[str, str] | None = None) -> Repository:
        """Create a repository with one commit on ``main``."""
        ...

    def head(self, repository: Repository, branch: str = "main") -> str:
        """Return the commit of a branch, empty when there is none."""
        ...

    def commit(self, repository: Repository, branch: str, files: Mapping[str, bytes]) -> str:
        """Commit to a branch as a person."""
        ...

    def issue(self, repository: Repository, title: str, body: str) -> Subject:
        """Open an issue as the reporter."""
        ...

    def comment(self, repository: Repository, number: int, body: str, by: str = "stranger") -> int:
        """Write a comment as a person."""
        ...

    def comments(self, repository: Repository, number: int) -> list[Comment]:
        """Return the comments of an issue or pull request."""
        ...

    def reactions(self, repository: Repository, subject: Subject) -> list[str]:
        """Return the reactions to a comment or issue."""
        ...

    def checks(self, repository: Repository, sha: str) -> list[Check]:
        """Return the check runs of a commit."""
        ...

    def pulls(self, repository: Repository) -> list[dict[str, Any]]:
        """Return number, state, draft, body, title, labels and reviewers of all pull requests."""
        ...

    def edit_pull(self, repository: Repository, number: int, **changes: str) -> None:
        """Edit or close a pull request as a person."""
        ...

    def open_pull(self, repository: Repository, branch: str, title: str, body: str) -> int:
        """Open a pull request as a person."""
        ...

    def labels(self, repository: Repository, number: int) -> set[str]:
        """Return the labels of an issue or pull request."""
        ...

    def archive(self, repository: Repository) -> None:
        """Archive a repository."""
        ...

    def rename(self, repository: Repository) -> str:
        """Rename a repository; return its new name."""
        ...

    def delete(self, repository: Repository) -> None:
        """Delete a repository."""
        ...


class GitWorld(World, Protocol):
    """A world that holds trees and commits as git does: what the fake does not pretend to be."""

    def entry(self, repository: Repository, branch: str, path: str) -> tuple[str, bytes] | None:
        """Return mode and bytes of a file."""
        ...

    def parents(self, repository: Repository, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""
        ...

    def message(self, repository: Repository, sha: str) -> str:
        """Return the message of a commit."""
        ...


class TestbedWorld:
    """The testbed, with the real adapter."""

    __test__ = False

    def __init__(self, bed: Testbed) -> None:
        self._bed = bed
        self.bot = "suture[bot]"

    def client(self) -> GitHub:
        return GitHubApp(self._bed.config())

    def repository(self, files: Mapping[str, bytes], modes: Mapping[str, str] | None = None) -> Repository:
        return self._bed.repository(files, modes=modes)

    def head(self, repository: Repository, branch: str = "main") -> str:
        refs = self._ask("GET", repository, f"/git/matching-refs/heads/{branch}")
        return next((ref["object"]["sha"] for ref in refs if ref["ref"] == f"refs/heads/{branch}"), "")

    def entry(self, repository: Repository, branch: str, path: str) -> tuple[str, bytes] | None:
        tree = self._ask("GET", repository, f"/git/trees/{self.head(repository, branch)}?recursive=1")["tree"]
        found = next((item for item in tree if item["path"] == path), None)
        if found is None:
            return None
        blob = self._ask("GET", repository, f"/git/blobs/{found['sha']}")
        return found["mode"], base64.b64decode(blob["content"])

    def parents(self, repository: Repository, sha: str) -> tuple[str, ...]:
        commit = self._ask("GET", repository, f"/git/commits/{sha}")
        return tuple(parent["sha"] for parent in commit["parents"])

    def message(self, repository: Repository, sha: str) -> str:
        return str(self._ask("GET", repository, f"/git/commits/{sha}")["message"])

    def commit(self, repository: Repository, branch: str, files: Mapping[str, bytes]) -> str:
        start = "" if self.head(repository, branch) else self.head(repository)
        return self._bed.commit(
            repository.full_name,
            dict(files),
            branch=branch,
            create=bool(start),
            parent=start,
            by="maintainer",
        )

    def issue(self, repository: Repository, title: str, body: str) -> Subject:
        made = self._ask("POST", repository, "/issues", {"title": title, "body": body}, by="reporter")
        return subjects.issue(made["number"])

    def comment(self, repository: Repository, number: int, body: str, by: str = "stranger") -> int:
        made = self._ask("POST", repository, f"/issues/{number}/comments", {"body": body}, by=by)
        return int(made["id"])

    def comments(self, repository: Repository, number: int) -> list[Comment]:
        found = self._ask("GET", repository, f"/issues/{number}/comments?per_page=100")
        return [Comment(author=item["user"]["login"], body=item["body"]) for item in found]

    def reactions(self, repository: Repository, subject: Subject) -> list[str]:
        place = (
            f"/issues/comments/{subject.comment_id}" if subject.comment_id else f"/issues/{subject.number}"
        )
        wanted = f"/repos/{repository.full_name}{place}"
        return [content for where, _, content in self._bed.state.reactions if where == wanted]

    def checks(self, repository: Repository, sha: str) -> list[Check]:
        found = self._ask("GET", repository, f"/commits/{sha}/check-runs?filter=all")["check_runs"]
        return [
            Check(
                key=run["external_id"],
                status=run["status"],
                conclusion=run["conclusion"] or "",
                title=run["output"]["title"] or "",
                buttons=self._buttons(repository, run["id"]),
            )
            for run in found
        ]

    def _buttons(self, repository: Repository, run: int) -> tuple[str, ...]:
        """Return the buttons last sent: GitHub shows them to people, its API does not give them back."""
        path = f"/repos/{repository.full_name}/check-runs/{run}"
        sent = [json.loads(seen.body) for seen in self._bed.by_the_app() if seen.path == path and seen.body]
        return tuple(action["label"] for action in (sent[-1] if sent else {}).get("actions", ()))

    def pulls(self, repository: Repository) -> list[dict[str, Any]]:
        found = self._ask("GET", repository, "/pulls?state=all&per_page=100")
        return [
            {
                "number": pull["number"],
                "state": pull["state"],
                "draft": pull["draft"],
                "title": pull["title"],
                "body": pull["body"],
                "labels": [label["name"] for label in pull["labels"]],
                "reviewers": [user["login"] for user in pull["requested_reviewers"]],
            }
            for pull in found
        ]

    def edit_pull(self, repository: Repository, number: int, **changes: str) -> None:
        self._ask("PATCH", repository, f"/pulls/{number}", changes, by="maintainer")

    def open_pull(self, repository: Repository, branch: str, title: str, body: str) -> int:
        self.commit(repository, branch, {"mine.txt": b"by hand\n"})
        wanted = {"title": title, "body": body, "head": branch, "base": "main"}
        return int(self._ask("POST", repository, "/pulls", wanted, by="maintainer")["number"])

    def labels(self, repository: Repository, number: int) -> set[str]:
        return {label["name"] for label in self._ask("GET", repository, f"/issues/{number}/labels")}

    def archive(self, repository: Repository) -> None:
        self._ask("PATCH", repository, "", {"archived": True})

    def rename(self, repository: Repository) -> str:
        return self._bed.rename(repository)

    def delete(self, repository: Repository) -> None:
        self._ask("DELETE", repository, "")

    def _ask(
        self, method: str, repository: Repository, path: str, body: Any = None, by: str = "owner"
    ) -> Any:
        return self._bed.person(by).ask(method, f"/repos/{repository.full_name}{path}", body)
