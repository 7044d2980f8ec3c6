"""The four tools of the listwise agent. Each answers with bounded text; a bad call is answered with what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.conversation import ToolDescription
from agent.tracing.domain import FixCommit
from agent.untrusted import clean
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.conversation import ToolCall
    from agent.tracing.domain import Candidate
    from agent.tracing.ports import CommitSource
    from retrieval.commits.domain import CommitPatch

COMMIT_CHARACTERS = 8_000
DIFF_CHARACTERS = 16_000
MOST_ANSWERS = 10
_MESSAGE_CHARACTERS = 3_000
_LISTED_FILES = 60
_SHORT_ID = 12

LIST, READ, DIFF, SUBMIT = "list_candidates", "read_commit", "read_file_diff", "submit_answer"


def _parameters(required: Sequence[str], **properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_ID = {"type": "string", "description": "The commit's id as the list shows it."}
DESCRIPTIONS: tuple[ToolDescription, ...] = (
    ToolDescription(
        name=LIST,
        description="List all candidates, one line each: rank, id, date, files changed, subject.",
        parameters=_parameters(()),
    ),
    ToolDescription(
        name=READ,
        description="Read one candidate: its whole message, its files, and the beginning of its changes.",
        parameters=_parameters(("id",), id=_ID),
    ),
    ToolDescription(
        name=DIFF,
        description="Read what one candidate changed in one file, with context.",
        parameters=_parameters(("id", "path"), id=_ID, path={"type": "string"}),
    ),
    ToolDescription(
        name=SUBMIT,
        description="Give the final answer: the commit that fixed the flaw, or the several that did together.",
        parameters=_parameters(
            ("commits",),
            commits={
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_ANSWERS,
                "items": _parameters(("id", "reason"), id=_ID, reason={"type": "string"}),
            },
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A tool's answer; ``fixes`` is set by a submission that was accepted, and ends the work."""

    text: str
    fixes: tuple[FixCommit, ...] = ()


class Tools:
    """The tools over one shortlist: nothing outside it can be read or submitted."""

    def __init__(self, candidates: Sequence[Candidate], source: CommitSource) -> None:
        self._candidates = candidates
        self._source = source

    def use(self, call: ToolCall) -> Reply:
        """Return what a call gives; a call that cannot be served says why."""
        match call.name:
            case "list_candidates":
                return Reply(text="\n".join(map(_line, self._candidates)))
            case "read_commit" | "read_file_diff":
                return self._read(call)
            case "submit_answer":
                return self._submit(call.arguments)
        known = ", ".join(tool.name for tool in DESCRIPTIONS)
        return Reply(text=f"There is no tool {call.name!r}; use one of: {known}.")

    def _read(self, call: ToolCall) -> Reply:
        candidate = self._candidate(call.arguments.get("id"))
        if candidate is None:
            return _unknown(call.arguments.get("id"))
        try:
            if call.name == READ:
                return Reply(text=_bounded(_described(self._source.commit(candidate.id)), COMMIT_CHARACTERS))
            return self._diff(candidate, call.arguments.get("path"))
        except RetrievalError as error:
            return Reply(text=f"It cannot be read: {error}.")

    def _diff(self, candidate: Candidate, path: object) -> Reply:
        if not isinstance(path, str) or not path:
            return Reply(text="Give the path of a file that the commit changes.")
        found = self._source.file_diff(candidate.id, path, limit=DIFF_CHARACTERS + 1)
        if not found:
            return Reply(text=f"The commit does not change {path!r}; {READ} lists its files.")
        return Reply(text=_bounded(found, DIFF_CHARACTERS))

    def _submit(self, arguments: Mapping[str, object]) -> Reply:
        given = arguments.get("commits")
        if not isinstance(given, list) or not 0 < len(given) <= MOST_ANSWERS:
            return Reply(text=f"Give 1 to {MOST_ANSWERS} commits, each with id and reason.")
        fixes: dict[str, FixCommit] = {}
        for entry in given:
            named = entry.get("id") if isinstance(entry, dict) else None
            candidate = self._candidate(named)
            if candidate is None:
                return _unknown(named)
            reason = clean(str(entry.get("reason", ""))).text[:1_000]
            fixes.setdefault(candidate.id, FixCommit(id=candidate.id, reason=reason))
        return Reply(text="Accepted.", fixes=tuple(fixes.values()))

    def _candidate(self, named: object) -> Candidate | None:
        """Return the candidate of an id, which may be shortened as long as it names one only."""
        if not isinstance(named, str) or len(named.strip()) < 7:  # noqa: PLR2004 - git's own shortest
            return None
        found = [one for one in self._candidates if one.id.startswith(named.strip().lower())]
        return found[0] if len(found) == 1 else None


def _line(candidate: Candidate) -> str:
    files = "1 file" if candidate.files == 1 else f"{candidate.files} files"
    subject = clean(candidate.subject).text[:120]
    return f"{candidate.rank}. {candidate.id[:_SHORT_ID]} {candidate.date} ({files}) {subject}"


def _described(commit: CommitPatch) -> str:
    files = [f"  {change.path} {_tally(change.added, change.deleted)}" for change in commit.changes]
    if len(files) > _LISTED_FILES:
        files = [*files[:_LISTED_FILES], f"  and {len(files) - _LISTED_FILES} more"]
    missing = [] if commit.complete else ["Parts of this commit are missing from the clone."]
    message = _bounded(commit.message, _MESSAGE_CHARACTERS)
    head = [f"commit {commit.id}", "", message, "", f"{len(commit.changes)} files:", *files]
    return "\n".join([*head, *missing, "", *commit.lines])


def _tally(added: int | None, deleted: int | None) -> str:
    return "(binary or unread)" if added is None or deleted is None else f"+{added} -{deleted}"


def _bounded(text: str, limit: int) -> str:
    text = clean(text).text
    note = f"\n[cut at {limit:,} characters]"
    return text if len(text) <= limit else text[: limit - len(note)] + note


def _unknown(named: object) -> Reply:
    return Reply(text=f"{str(named)[:80]!r} names no single candidate; give an id that {LIST} shows.")
