"""The fake of the ``GitHub`` port as a world."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from agent.reports import report_from_github_issue
from bot.ports import PullRequest
from handlers import subjects
from handlers.intents import Repository
from tests.contract.worlds import Check, Comment
from tests.fakes.github import LOGIN, FakeGitHub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.ports import GitHub
    from handlers.intents import Subject


class FakeWorld:
    """A GitHub in memory."""

    def __init__(self) -> None:
        self.bot = LOGIN
        self._fake = FakeGitHub()
        self._numbers = count(1)
        for login, role in (("owner", "admin"), ("maintainer", "write"), ("triager", "triage")):
            self._fake.allow(login, role)
        self._heads: dict[tuple[int, str], str] = {}

    def client(self) -> GitHub:
        return self._fake

    def repository(self, files: Mapping[str, bytes], modes: Mapping[str, str] | None = None) -> Repository:
        number = next(self._numbers)
        made = Repository(id=number, full_name=f"acme/r{number}", installation_id=77, default_branch="main")
        self._heads[number, "main"] = self._sha()
        return made

    def head(self, repository: Repository, branch: str = "main") -> str:
        for pull in self._fake.state["pulls"]:
            if pull["head_ref"] == branch and pull["repository"] in {0, repository.id}:
                return str(pull["head_sha"])
        return self._heads.get((repository.id, branch), "")

    def commit(self, repository: Repository, branch: str, files: Mapping[str, bytes]) -> str:
        sha = self._sha()
        for pull in self._fake.state["pulls"]:
            if pull["head_ref"] == branch:
                self._fake.change_pull(pull["number"], head_sha=sha)
        self._heads[repository.id, branch] = sha
        return sha

    def issue(self, repository: Repository, title: str, body: str) -> Subject:
        subject = subjects.issue(next(self._numbers))
        record = {"number": subject.number, "title": title, "body": body}
        self._fake.add_report(subject.key, report_from_github_issue(record))
        return subject

    def comment(self, repository: Repository, number: int, body: str, by: str = "stranger") -> int:
        return next(self._numbers)

    def comments(self, repository: Repository, number: int) -> list[Comment]:
        kept = self._fake.comments
        return [Comment(author=LOGIN, body=kept[place]) for place in kept if place.startswith(f"{number}:")]

    def reactions(self, repository: Repository, subject: Subject) -> list[str]:
        place = [repository.id, subject.number, subject.comment_id]
        return [str(kept[3]) for kept in self._fake.state["reactions"] if kept[:3] == place]

    def checks(self, repository: Repository, sha: str) -> list[Check]:
        found = self._fake.state["checks"]
        return [
            Check(
                key=place.partition(":")[2],
                status=check["status"],
                conclusion=check["conclusion"],
                title=check["title"],
                buttons=tuple(action[0] for action in check["actions"]),
            )
            for place, check in found.items()
            if place.startswith(f"{sha}:")
        ]

    def pulls(self, repository: Repository) -> list[dict[str, Any]]:
        return list(self._fake.state["pulls"])

    def edit_pull(self, repository: Repository, number: int, **changes: str) -> None:
        self._fake.change_pull(number, **changes)

    def open_pull(self, repository: Repository, branch: str, title: str, body: str) -> int:
        number = next(self._numbers)
        pull = PullRequest(
            number=number,
            url=f"https://github.example/{number}",
            head_ref=branch,
            head_sha=self._sha(),
            state="open",
            author_login="maintainer",
        )
        self._fake.add_pull(pull, f"{title}\n{body}")
        return number

    def labels(self, repository: Repository, number: int) -> set[str]:
        return set(self._fake.state["labels"].get(str(number), []))

    def archive(self, repository: Repository) -> None:
        self._fake.set_repository(repository.id, archived=True)

    def rename(self, repository: Repository) -> str:
        self._fake.set_repository(repository.id, full_name=f"{repository.full_name}-new")
        return f"{repository.full_name}-new"

    def delete(self, repository: Repository) -> None:
        self._fake.set_repository(repository.id, gone=True)

    def _sha(self) -> str:
        return f"{next(self._numbers):040x}"
