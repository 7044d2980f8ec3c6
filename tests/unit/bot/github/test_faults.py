"""What GitHub's refusals mean."""

from __future__ import annotations

import json

import pytest

from bot.errors import GitHubError, RepositoryGoneError
from bot.github.errors import (
    GitError,
    InstallationSuspendedError,
    PermissionMissingError,
    RepositoryMovedError,
)
from bot.github.faults import LONGEST_PAUSE, SECONDARY_PAUSE, fault

NOW = 1_000_000.0


def build_fault(status: int, message: str = "m", **headers: str) -> GitHubError:
    """Return the error of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return fault(status, named, json.dumps({"message": message}), now=NOW)


@pytest.mark.parametrize(
    ("status", "message", "kind", "retryable"),
    [
        (301, "Moved", RepositoryMovedError, False),
        (307, "Moved", RepositoryMovedError, False),
        (401, "Bad credentials", GitHubError, True),
        (403, "This installation has been suspended", InstallationSuspendedError, False),
        (403, "Resource not accessible by integration", PermissionMissingError, False),
        (403, "Repository was archived so is read-only.", GitHubError, False),
        (404, "Not Found", GitHubError, False),
        (408, "Timeout", GitHubError, True),
        (409, "Conflict", GitHubError, True),
        (409, "Git Repository is empty.", GitHubError, False),
        (410, "Gone", RepositoryGoneError, False),
        (422, "Validation Failed", GitHubError, False),
        (
            422,
            "The permissions requested are not granted to this installation.",
            PermissionMissingError,
            False,
        ),
        (451, "DMCA", RepositoryGoneError, False),
        (500, "Oops", GitHubError, True),
        (503, "Later", GitHubError, True),
    ],
)
def test_each_status_has_its_error(
    status: int, message: str, kind: type[GitHubError], *, retryable: bool
) -> None:
    error = build_fault(status, message)

    assert (type(error), error.status, error.retryable) == (kind, status, retryable)


@pytest.mark.parametrize(
    ("status", "message", "headers", "pause"),
    [
        (429, "Too many", {}, SECONDARY_PAUSE),
        (429, "Too many", {"retry_after": "7"}, 7.0),
        (403, "secondary", {"retry_after": "30"}, 30.0),
        (403, "You have exceeded a secondary rate limit", {}, SECONDARY_PAUSE),
        (403, "abuse detection", {}, SECONDARY_PAUSE),
        (
            403,
            "API rate limit exceeded",
            {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1000042"},
            42.0,
        ),
        (403, "API rate limit exceeded", {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "999000"}, 1.0),
        (429, "Too many", {"retry_after": "999999"}, LONGEST_PAUSE),
        (429, "Too many", {"retry_after": "soon"}, SECONDARY_PAUSE),
    ],
)
def test_a_rate_limit_says_how_long(status: int, message: str, headers: dict[str, str], pause: float) -> None:
    error = build_fault(status, message, **headers)

    assert (error.retryable, error.retry_after) == (True, pause)


def test_the_details_are_told_and_secrets_are_not() -> None:
    """GitHub's sentence and its details, one short line, without anything that looks like a token."""
    body = {"message": "Validation\nFailed ghs_abcdef123", "errors": [{"message": "No commits"}, "odd", 3]}

    said = str(fault(422, {}, json.dumps(body), now=NOW))

    assert said == "GitHub answered 422: Validation Failed ***; No commits; odd"


@pytest.mark.parametrize("text", ["<html>", "", "[]", '{"message": null}', '{"errors": "x"}'])
def test_an_answer_without_words_is_no_failure_of_ours(text: str) -> None:
    assert str(fault(500, {}, text, now=NOW)) == "GitHub answered 500: no explanation"


def test_no_folder_of_this_machine_is_told() -> None:
    """Addresses stay, host paths lose their folders."""
    error = GitError("fetch", 128, "x\nfatal: '/var/lib/suture/1.git' and https://github.com/o/r.git")

    assert str(error) == "git fetch: fatal: '1.git' and https://github.com/o/r.git"


@pytest.mark.parametrize(
    ("words", "retryable"),
    [
        ("fatal: unable to access: Could not resolve host: x", True),
        ("fatal: the remote end hung up unexpectedly", True),
        ("The requested URL returned error: 503", True),
        ("fatal: repository not found", False),
        ("", False),
    ],
)
def test_what_git_says_decides_whether_to_try_again(words: str, *, retryable: bool) -> None:
    assert GitError("fetch", 128, words).retryable is retryable
