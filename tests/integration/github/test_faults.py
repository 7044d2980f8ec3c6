"""GitHub fails at every single request of every operation: retried or reported, never lost, never doubled."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from bot.errors import GitHubError
from bot.github.client import GitHubApp
from bot.ports import Publication
from handlers import subjects
from tests.testbed.faults import Fault, Moment
from tests.testbed.world import private_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from handlers.intents import Repository
    from tests.testbed.testbed import Testbed

    Act = Callable[["Scene", GitHubApp], Awaitable[object]]

pytestmark = pytest.mark.testbed

FILES = {"app.py": b"os.system(x)\n", "data/x.bin": b"\x00"}
BRANCH = "suture/issue-1-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A repository with one issue."""

    bed: Testbed
    repository: Repository
    issue: int

    def ask(self, path: str) -> Any:
        """Ask as the owner."""
        return self.bed.person("owner").ask("GET", f"/repos/{self.repository.full_name}{path}")

    def publication(self) -> Publication:
        """Return what the publishing operation publishes."""
        return Publication(
            key="run-1",
            repository=self.repository,
            subject=subjects.issue(self.issue),
            base_branch="main",
            base_sha=self.bed.head(self.repository.full_name),
            branch=BRANCH,
            title="Fix",
            body="Evidence",
            changes={"app.py": b"run(x)\n", "data/x.bin": b"\x01\x00", "new.py": b"1\n"},
            labels=("security",),
            reviewers=("maintainer",),
            sign_off=True,
        )


def build_scene(bed: Testbed) -> Scene:
    """Return a fresh scene; deliveries of earlier ones are forgotten, their pages would change the requests."""
    bed.state.deliveries.clear()
    repository = bed.repository(FILES)
    body = {"title": "t", "body": "b"}
    made = bed.person("reporter").ask("POST", f"/repos/{repository.full_name}/issues", body)
    return Scene(bed=bed, repository=repository, issue=made["number"])


async def _publish(scene: Scene, app: GitHubApp) -> object:
    return await app.publish(scene.publication())


def _published(scene: Scene) -> None:
    (pull,) = scene.ask("/pulls?state=all")
    assert (pull["head"]["ref"], pull["draft"]) == (BRANCH, True)
    assert [
        [label["name"] for label in pull["labels"]],
        [user["login"] for user in pull["requested_reviewers"]],
    ] == [["security"], ["maintainer"]]
    head = scene.ask(f"/git/ref/heads/{BRANCH}")["object"]["sha"]
    commit = scene.ask(f"/git/commits/{head}")
    assert [scene.bed.head(scene.repository.full_name)] == [parent["sha"] for parent in commit["parents"]]
    assert scene.bed.file(scene.repository.full_name, "data/x.bin", BRANCH) == b"\x01\x00"


async def _comment(scene: Scene, app: GitHubApp) -> object:
    await app.sticky_comment(scene.repository, scene.issue, "run-1", "working")
    return await app.sticky_comment(scene.repository, scene.issue, "run-1", "done")


def _commented(scene: Scene) -> None:
    (comment,) = scene.ask(f"/issues/{scene.issue}/comments")
    assert "done" in comment["body"]


async def _check(scene: Scene, app: GitHubApp) -> object:
    head = scene.bed.head(scene.repository.full_name)
    await app.check(scene.repository, head, "run-1", status="in_progress", title="a", summary="b")
    return await app.check(
        scene.repository, head, "run-1", status="completed", conclusion="success", title="a", summary="b"
    )


def _checked(scene: Scene) -> None:
    head = scene.bed.head(scene.repository.full_name)
    (run,) = scene.ask(f"/commits/{head}/check-runs?filter=all")["check_runs"]
    assert (run["status"], run["conclusion"]) == ("completed", "success")


async def _speak(scene: Scene, app: GitHubApp) -> object:
    await app.react(scene.repository, subjects.issue(scene.issue), "eyes")
    await app.add_labels(scene.repository, scene.issue, ["security"])
    return await app.permission(scene.repository, "maintainer")


def _spoken(scene: Scene) -> None:
    assert [label["name"] for label in scene.ask(f"/issues/{scene.issue}")["labels"]] == ["security"]
    place = f"/repos/{scene.repository.full_name}/issues/{scene.issue}"
    assert [what for where, _, what in scene.bed.state.reactions if where == place] == ["eyes"]


async def _read(scene: Scene, app: GitHubApp) -> object:
    await app.refresh(scene.repository)
    await app.report(scene.repository, subjects.issue(scene.issue))
    await app.open_pull_requests(scene.repository, ["#1"])
    await app.failed_deliveries(60)
    return await app.read_file(scene.repository, "app.py")


OPERATIONS: dict[str, tuple[Act, Callable[[Scene], None]]] = {
    "publish": (_publish, _published),
    "comment": (_comment, _commented),
    "check": (_check, _checked),
    "speak": (_speak, _spoken),
    "read": (_read, lambda _: None),
}
PASSING: dict[str, dict[str, Any]] = {
    "401": {"status": 401, "message": "Bad credentials"},
    "403 secondary": {
        "status": 403,
        "headers": {"Retry-After": "0"},
        "message": "You have exceeded a secondary rate limit",
    },
    "409": {"status": 409, "message": "Conflict"},
    "429": {"status": 429, "headers": {"Retry-After": "0"}},
    "500": {"status": 500},
    "502 after the work": {"status": 502, "moment": Moment.AFTER},
    "reset": {},
    "reset after the work": {"moment": Moment.AFTER},
    "too late": {"status": 500, "seconds": 2.0, "moment": Moment.AFTER},
}
LASTING: dict[str, dict[str, Any]] = {
    "403": {"status": 403, "message": "Resource not accessible by integration"},
    "404": {"status": 404, "message": "Not Found"},
    "422": {"status": 422, "message": "Validation Failed"},
}
SAMPLE = 4


def build_app(bed: Testbed, kind: dict[str, Any] | None = None) -> GitHubApp:
    """Return an App; one that waits only a second for answers where they are to come too late."""
    late = bool(kind and kind.get("seconds"))
    return GitHubApp(bed.config(request_seconds=1 if late else 30))


async def requests_of(bed: Testbed, act: Act) -> int:
    """Return how many requests an operation takes when nothing fails."""
    scene, before = build_scene(bed), len(bed.by_the_app())
    await act(scene, build_app(bed))
    return len(bed.by_the_app()) - before


async def survive(bed: Testbed, name: str, number: int, kind: dict[str, Any]) -> None:
    """Let one request fail in a way that passes: the operation succeeds, and everything is there once."""
    act, verify = OPERATIONS[name]
    scene = build_scene(bed)
    fault = bed.faults.add(Fault(method=".*", path=".*", first=number, **kind))

    await act(scene, build_app(bed, kind))

    assert fault.fired == 1, (number, kind)
    bed.faults.clear()
    verify(scene)


async def report(bed: Testbed, name: str, number: int, kind: dict[str, Any]) -> None:
    """Let one request fail for good: a clear error or none, and what the caller repeats is there once."""
    act, verify = OPERATIONS[name]
    scene = build_scene(bed)
    bed.faults.add(Fault(method=".*", path=".*", first=number, **kind))
    try:
        await act(scene, build_app(bed))
    except GitHubError as error:
        assert (error.retryable, error.status) == (False, kind["status"]), (number, kind)  # noqa: PT017
    bed.faults.clear()

    await act(scene, build_app(bed))

    verify(scene)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", OPERATIONS)
async def test_faults_at_a_sample_of_requests(testbed: Testbed, name: str) -> None:
    """Every fourth request of each operation fails in one way or another; the rest is in the slow tests."""
    ways = [*((survive, kind) for kind in PASSING.values()), *((report, kind) for kind in LASTING.values())]
    for number in range(1, await requests_of(testbed, OPERATIONS[name][0]) + 1, SAMPLE):
        way, kind = ways[number // SAMPLE % len(ways)]
        await way(testbed, name, number, kind)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", PASSING)
@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_fault_that_passes_is_lived_through(testbed: Testbed, name: str, kind: str) -> None:
    """At each request in turn."""
    for number in range(1, await requests_of(testbed, OPERATIONS[name][0]) + 1):
        await survive(testbed, name, number, PASSING[kind])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", LASTING)
@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_fault_that_lasts_is_reported_and_the_next_run_mends_it(
    testbed: Testbed, name: str, kind: str
) -> None:
    """At each request in turn."""
    for number in range(1, await requests_of(testbed, OPERATIONS[name][0]) + 1):
        await report(testbed, name, number, LASTING[kind])


@pytest.mark.parametrize("kind", ["500", "reset", "429"])
async def test_a_fault_that_does_not_end_is_reported(testbed: Testbed, kind: str) -> None:
    """After a bounded number of tries the error says that trying later may help."""
    scene = build_scene(testbed)
    fault = testbed.faults.add(Fault(method="GET", path="/contents/", times=1000, **PASSING[kind]))

    with pytest.raises(GitHubError) as caught:
        await build_app(testbed).read_file(scene.repository, "app.py")

    assert caught.value.retryable
    assert fault.fired == 4


async def test_a_long_pause_is_left_to_the_caller(testbed: Testbed) -> None:
    """Told to wait for ten minutes: reported at once with the time, and nothing more is asked meanwhile."""
    scene, app = build_scene(testbed), build_app(testbed)
    fault = testbed.faults.add(
        Fault(method="GET", path="/contents/", status=429, headers={"Retry-After": "600"}, times=9)
    )
    seen = []
    for _ in range(2):
        with pytest.raises(GitHubError) as caught:
            await app.read_file(scene.repository, "app.py")
        seen.append(caught.value.retry_after)

    assert fault.fired == 1
    assert all(590 < (seconds or 0) <= 600 for seconds in seen)


async def test_no_secret_is_ever_logged_or_raised(
    testbed: Testbed, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """At the most talkative log level, through successes and failures of every kind."""
    caplog.set_level(logging.DEBUG)
    errors: list[str] = []
    with structlog.testing.capture_logs() as logs:
        for number, (act, _) in enumerate(OPERATIONS.values(), start=2):
            for kind in (*LASTING.values(), PASSING["429"], PASSING["reset"]):
                testbed.faults.add(Fault(method=".*", path=".*", first=number, **kind))
                try:
                    await act(build_scene(testbed), build_app(testbed))
                except GitHubError as error:
                    errors.append(repr(error) + str(error) + repr(error.__cause__))
                testbed.faults.clear()

    heard = "\n".join([caplog.text, *capfd.readouterr(), *map(repr, logs), *errors])
    secrets = [*testbed.state.tokens, *private_key().splitlines()[1:-1]]
    secrets += [seen.viewer for seen in testbed.by_the_app() if seen.viewer]
    assert errors
    assert [secret[:12] for secret in secrets if secret in heard] == []
