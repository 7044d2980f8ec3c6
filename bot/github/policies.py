"""What a repository asks of contributors, read from its own files. Pure: text in, values out.

Sources: https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
and https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDERS = (".github/", "", "docs/")
OWNER_FILES = tuple(f"{folder}CODEOWNERS" for folder in FOLDERS)
TEMPLATE_FILES = tuple(
    f"{folder}{name}"
    for folder in FOLDERS
    for name in ("pull_request_template.md", "PULL_REQUEST_TEMPLATE.md")
)
POLICY_FILES = tuple(
    f"{folder}{name}.md"
    for name in ("AI_POLICY", "AI-POLICY", "CONTRIBUTING", "AGENTS")
    for folder in FOLDERS
)

_MACHINE = (
    r"(?:(?:fully[- ])?automated|automatic|bot|bots|machine[- ]generated|"
    r"(?:ai|llm|gpt|agent|copilot|chatgpt|genai)(?:[- /](?:generated|written|authored|assisted|created|produced))?)"
)
_WORK = r"(?:pull[- ]requests?|prs?|patch(?:es)?|contributions?|submissions?|changes|code)"
_MACHINE_WORK = rf"{_MACHINE}[\w\s,/-]{{0,40}}?\b{_WORK}"
_NO = (
    r"(?:(?:are|is|will be|be)\s+(?:not\s+(?:accepted|allowed|permitted|welcome|wanted|merged)|forbidden|prohibited|"
    r"banned|rejected|unwelcome|closed)|(?:will|can|may|must|should)\s*not\s+be\s+(?:accepted|merged|submitted|opened)|"
    r"won't\s+be\s+(?:accepted|merged))"
)
_FORBIDDEN = re.compile(
    rf"\b{_MACHINE_WORK}\b[^.\n]{{0,60}}?\b{_NO}"
    rf"|\b(?:do\s+not|don't|never|please\s+refrain\s+from|refrain\s+from)\s+(?:\w+\s+){{0,3}}?{_MACHINE_WORK}\b"
    rf"|\b(?:we\s+)?(?:do\s+not|don't|cannot|will\s+not)\s+(?:accept|allow|merge|want|permit|take)\s+[^.\n]{{0,30}}?{_MACHINE_WORK}\b"
    rf"|\bno\s+{_MACHINE_WORK}\b",
    re.IGNORECASE,
)
_CONVENTIONAL = re.compile(
    r"^(?:feat|fix|docs|chore|refactor|test|build|ci|perf|style|revert)(?:\([^)]*\))?!?: "
)
_SCOPED = re.compile(r"^[\w./-]{2,30}: \S")
ENOUGH = 0.6


class CommitStyle(StrEnum):
    """How subjects of commits are written here."""

    CONVENTIONAL = "conventional"
    SCOPED = "scoped"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prohibition:
    """A sentence of the repository that forbids automated pull requests, and where it stands."""

    path: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """What a repository asks of those who open pull requests."""

    prohibition: Prohibition | None = None
    template: str = ""
    owners: str = ""
    commit_style: CommitStyle = CommitStyle.PLAIN


def prohibition(path: str, text: str) -> Prohibition | None:
    """Return the sentence of a policy file that forbids automated pull requests, None when none does."""
    plain = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)", plain):
        line = re.sub(r"[*_`>#]+", "", " ".join(paragraph.split()))
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            if _FORBIDDEN.search(sentence) and not re.search(
                r"\bunless\b|\bexcept\b", sentence, re.IGNORECASE
            ):
                return Prohibition(path=path, sentence=sentence.strip(" -")[:300])
    return None


def code_owners(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return who owns the paths (``login`` or ``organisation/team``): for each path the last rule that fits."""
    rules = [_rule(line) for line in text.splitlines()]
    owners: dict[str, None] = {}
    for path in paths:
        fitting = [names for pattern, names in filter(None, rules) if pattern.search(path)]
        owners.update(dict.fromkeys(fitting[-1] if fitting else ()))
    return tuple(owners)


def commit_style(subjects: Sequence[str]) -> CommitStyle:
    """Return how most of the recent subjects (merges aside) are written."""
    own = [subject for subject in subjects if not subject.startswith("Merge ")]
    for style, pattern in ((CommitStyle.CONVENTIONAL, _CONVENTIONAL), (CommitStyle.SCOPED, _SCOPED)):
        if own and sum(bool(pattern.match(subject)) for subject in own) >= ENOUGH * len(own):
            return style
    return CommitStyle.PLAIN


def commit_subject(title: str, style: CommitStyle, path: str) -> str:
    """Return a title as this repository writes subjects; ``path`` is the first file that changes."""
    if _CONVENTIONAL.match(title) or _SCOPED.match(title) or style is CommitStyle.PLAIN:
        return title
    words = title[:1].lower() + title[1:]
    if style is CommitStyle.CONVENTIONAL:
        return f"fix: {words}"
    folder, _, _ = path.partition("/")
    return f"{folder.rpartition('.')[0] or folder}: {words}"


def _rule(line: str) -> tuple[re.Pattern[str], tuple[str, ...]] | None:
    pattern, *names = line.partition(" #")[0].split()[:50] or [""]
    if not pattern or pattern.startswith(("#", "[", "^[", "!")):
        return None
    return _as_regex(pattern), tuple(name.removeprefix("@") for name in names if name.startswith("@"))


def _as_regex(pattern: str) -> re.Pattern[str]:
    """Return a code owners pattern (gitignore without negation and character ranges) as an expression."""
    anchored = "/" in pattern.rstrip("/")
    body = "".join(_glob(part) for part in re.split(r"(\*\*/|/\*\*$|\*|\?)", pattern.strip("/")))
    # A plain "docs/*" speaks of the files in that folder alone; a name speaks of all below it.
    tail = "$" if pattern.endswith("/*") else "/" if pattern.endswith("/") else "(?:/|$)"
    return re.compile(f"{'^' if anchored else '(?:^|/)'}{body}{tail}")


def _glob(part: str) -> str:
    return {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
