"""What the adapter offers beyond the port, and what only the real one has: tokens, pace, ETags, redelivery."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from agent.domain.report import Severity, Visibility
from bot.errors import RepositoryGoneError
from bot.github.client import GitHubApp
from bot.github.errors import InstallationSuspendedError
from bot.github.policies import CommitStyle
from bot.ports import Publication
from handlers import subjects
from tests.testbed.faults import Fault
from tests.testbed.world import INSTALLATION_ID

if TYPE_CHECKING:
    from handlers.intents import Repository
    from tests.testbed.testbed import Testbed

pytestmark = pytest.mark.testbed

FILES = {"README.md": b"hello\n", "src/app.py": b"old\n"}


@pytest.fixture
def repository(testbed: Testbed) -> Repository:
    return testbed.repository(FILES)


def build_app(testbed: Testbed, **changes: Any) -> GitHubApp:
    """Return an App for the testbed."""
    return GitHubApp(testbed.config(**changes))


async def test_tokens_are_narrow_and_kept(testbed: Testbed, repository: Repository) -> None:
    """Each is for one repository and what the call needs; two reads take one token."""
    before, app = set(testbed.state.tokens), build_app(testbed)

    await app.read_file(repository, "README.md")
    await app.read_file(repository, "src/app.py")
    await app.permission(repository, "maintainer")

    (fresh,) = set(testbed.state.tokens) - before
    token = testbed.state.tokens[fresh]
    assert token.repositories == {repository.id}
    assert token.permissions == {"metadata": "read", "contents": "read"}


async def test_a_revoked_token_is_replaced(testbed: Testbed, repository: Repository) -> None:
    """A 401 forgets the token; the operation goes on with a new one."""
    app = build_app(testbed)
    await app.read_file(repository, "README.md")
    before = len(testbed.by_the_app())
    testbed.faults.add(Fault(method="GET", path="/contents/", status=401, message="Bad credentials"))

    assert await app.read_file(repository, "src/app.py") == b"old\n"

    minted = [seen for seen in testbed.by_the_app(before) if seen.path.endswith("/access_tokens")]
    assert len(minted) == 1


async def test_what_did_not_change_is_answered_by_its_etag(testbed: Testbed, repository: Repository) -> None:
    """The second poll sends the ETag and costs nothing; a change is seen."""
    app = build_app(testbed)
    first = await app.read_file(repository, "README.md")
    again = await app.read_file(repository, "README.md")
    testbed.commit(repository.full_name, {"README.md": b"new\n"}, branch="main")

    assert (first, again) == (b"hello\n", b"hello\n")
    assert await app.read_file(repository, "README.md") == b"new\n"


async def test_writes_of_an_installation_wait_for_one_another(
    testbed: Testbed, repository: Repository
) -> None:
    """At least the pause lies between two writes, whatever repository and method they belong to."""
    app, other = build_app(testbed, write_seconds=0.3), testbed.repository(FILES)
    issue = testbed.issue(repository, "t", "b")
    there = testbed.issue(other, "t", "b")
    start = time.monotonic()

    await asyncio.gather(
        app.react(repository, issue, "eyes"),
        app.react(repository, issue, "rocket"),
        app.react(other, there, "eyes"),
        app.add_labels(other, there.number or 0, ["x"]),
    )

    assert time.monotonic() - start >= 0.9


async def test_the_budget_is_visible(testbed: Testbed, repository: Repository) -> None:
    """What GitHub said last of the installation's rate limit can be read."""
    app = build_app(testbed)
    await app.read_file(repository, "README.md")

    budgets = dict(app.budgets())

    assert budgets[INSTALLATION_ID].limit == 5000
    assert 0 < budgets[INSTALLATION_ID].remaining < 5000


async def test_a_private_advisory_is_a_private_report(testbed: Testbed, repository: Repository) -> None:
    """State decides: what is not published is private."""
    facts = {"summary": "Traversal", "severity": "high", "state": "triage", "published_at": None}
    made = testbed.extras.add_advisory(repository.full_name, ghsa_id="GHSA-2222-3333-4444", **facts)

    report = await build_app(testbed).report(repository, subjects.advisory(made["ghsa_id"]))

    assert (report.id, report.visibility) == ("GHSA-2222-3333-4444", Visibility.PRIVATE)
    assert (report.title, report.severity) == ("Traversal", Severity.HIGH)


async def test_alerts_become_reports(testbed: Testbed, repository: Repository) -> None:
    """A Dependabot alert names package and manifest; a code scanning alert its rule, weakness and place."""
    testbed.extras.add_dependabot(repository.full_name, 3)
    testbed.extras.add_code_scanning(repository.full_name, 4)
    app = build_app(testbed)

    dependabot = await app.report(repository, subjects.dependabot_alert(3))
    scanning = await app.report(repository, subjects.code_scanning_alert(4))

    assert dependabot.id == "dependabot-3"
    assert any(alias.startswith("GHSA-") for alias in dependabot.aliases)
    assert "Dependency: `ansible` (pip), `path/to/requirements.txt`" in dependabot.body
    assert (scanning.id, scanning.cwes) == ("code-scanning-4", ("CWE-22",))
    assert "spec-main/api-session-spec.ts" in scanning.body


async def test_lost_deliveries_are_found_and_sent_again(testbed: Testbed) -> None:
    """An event that arrived nowhere is found once, and no more after it arrived."""
    app = build_app(testbed)
    before = set(await app.failed_deliveries(3600))
    testbed.emit("ping", {"zen": "Keep it logically awesome."})
    (lost,) = set(await app.failed_deliveries(3600)) - before

    await app.redeliver(lost)
    again = set(await app.failed_deliveries(3600)) - before
    with testbed.state.lock:
        attempts = [seen for seen in testbed.state.deliveries if seen.event == "ping"]
        attempts[-1].status_code = 202  # the second attempt arrived after all

    assert len(again) == 1
    assert len({attempt.guid for attempt in attempts}) == 1
    assert set(await app.failed_deliveries(3600)) - before == set()
    assert await app.failed_deliveries(-1) == []


async def test_a_suspended_installation_is_no_lost_repository(
    testbed: Testbed, repository: Repository
) -> None:
    """Nothing may be deleted for it; it may come back."""
    testbed.state.suspended = True

    with pytest.raises(InstallationSuspendedError) as caught:
        await build_app(testbed).read_file(repository, "README.md")

    assert not isinstance(caught.value, RepositoryGoneError)
    assert not caught.value.retryable


async def test_without_the_app_the_repository_is_gone(testbed: Testbed, repository: Repository) -> None:
    """An installation that does not exist, and one that does not hold the repository."""
    app = build_app(testbed)

    with pytest.raises(RepositoryGoneError):
        await app.refresh(replace(repository, installation_id=12345))
    with pytest.raises(RepositoryGoneError):
        await app.refresh(replace(repository, id=987654))


async def test_a_name_that_another_repository_took_is_not_followed(
    testbed: Testbed, repository: Repository
) -> None:
    """The number decides: a token for ours, a name that is another's now."""
    other = testbed.repository(FILES)

    for name in ("acme/nothing", other.full_name):
        taken = replace(repository, full_name=name)
        with pytest.raises(RepositoryGoneError):
            await build_app(testbed).refresh(taken)
        with pytest.raises(RepositoryGoneError):
            await build_app(testbed).read_file(taken, "README.md")


async def test_where_drafts_are_not_sold_an_ordinary_pull_request_is_opened(
    testbed: Testbed, repository: Repository
) -> None:
    """GitHub refuses drafts in private repositories of some plans."""
    testbed.state.drafts_allowed = False
    publication = Publication(
        key="r",
        repository=repository,
        subject=subjects.issue(1),
        base_branch="main",
        base_sha=testbed.head(repository.full_name),
        branch="suture/issue-1-1",
        title="Fix",
        body="b",
        changes={"src/app.py": b"new\n"},
    )

    pull = await build_app(testbed).publish(publication)

    assert not pull.draft


async def test_more_comments_than_a_page_holds(testbed: Testbed, repository: Repository) -> None:
    """The sticky comment is found behind the first hundred."""
    issue = testbed.issue(repository, "t", "b")
    for number in range(101):
        body = {"body": f"comment {number}"}
        path = f"/repos/{repository.full_name}/issues/{issue.number}/comments"
        testbed.person("stranger").ask("POST", path, body)
    number = issue.number or 0
    first = await build_app(testbed).sticky_comment(repository, number, "run-1", "one")

    assert await build_app(testbed).sticky_comment(repository, number, "run-1", "two") == first


async def test_enterprise_server_addresses_work(testbed: Testbed, repository: Repository) -> None:
    """The same client below ``/api/v3``; people and git use the address without it."""
    app = build_app(testbed, api_url=f"{testbed.url}/api/v3")

    assert await app.read_file(repository, "README.md") == b"hello\n"
    assert app.connection.config.web_url == testbed.url
    assert [fix.issue for fix in await app.past_fixes(repository)] == []


async def test_past_fixes_join_issues_and_what_their_fix_changed(
    testbed: Testbed, repository: Repository
) -> None:
    """A closed issue, the merged pull request that names it, its files."""
    name, owner = repository.full_name, testbed.person("owner")
    issue = testbed.issue(repository, "Upload escapes", "details")
    start = testbed.head(name)
    testbed.commit(name, {"src/app.py": b"new\n"}, branch="fix", create=True, parent=start)
    wanted = {"title": "Fix", "head": "fix", "base": "main", "body": f"Fixes #{issue.number}"}
    pull = owner.ask("POST", f"/repos/{name}/pulls", wanted)
    owner.ask("PUT", f"/repos/{name}/pulls/{pull['number']}/merge", {})
    owner.ask("PATCH", f"/repos/{name}/issues/{issue.number}", {"state": "closed"})
    unrelated = testbed.issue(repository, "Not fixed", "wontfix")
    owner.ask("PATCH", f"/repos/{name}/issues/{unrelated.number}", {"state": "closed"})

    (fix,) = await build_app(testbed).past_fixes(repository)

    assert (fix.issue, fix.title, fix.paths) == (issue.number, "Upload escapes", ("src/app.py",))


async def test_house_rules_are_read(testbed: Testbed) -> None:
    """Owners, template, commit style and a policy that forbids automated pull requests."""
    repository = testbed.repository(
        {
            "CONTRIBUTING.md": b"# Welcome\n\nPlease note: AI-generated pull requests are not accepted.\n",
            ".github/CODEOWNERS": b"*.py @maintainer\n",
            ".github/pull_request_template.md": b"## Checklist\n",
        }
    )
    testbed.commit(repository.full_name, {"a": b"1"}, branch="main", message="feat: a\n\nbody")
    testbed.commit(repository.full_name, {"a": b"2"}, branch="main", message="fix(b): c")

    rules = await build_app(testbed).house_rules(repository)

    assert rules.prohibition is not None
    assert rules.prohibition.path == "CONTRIBUTING.md"
    assert (rules.template, rules.owners) == ("## Checklist\n", "*.py @maintainer\n")
    assert rules.commit_style is CommitStyle.CONVENTIONAL
