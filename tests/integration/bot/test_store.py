"""The store on SQLite and PostgreSQL: the same claims on both."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from agent.domain.report import Report, Visibility
from bot.artifacts import Artifact
from bot.store.database import migrate, writing
from bot.store.deliveries import Delivery, DeliveryState
from bot.store.pulls import Feedback, Pull
from bot.store.runs import UNFINISHED, Run, RunState
from bot.store.schema import metadata
from bot.store.slots import Slot
from bot.store.store import Store, open_store
from handlers.intents import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    url = database_url.replace("postgresql://", "postgresql+psycopg://")
    opened = open_store(url)
    yield opened
    opened.close()


def build_delivery(guid: str = "d-1", body: bytes = b'{"a": 1}') -> Delivery:
    return Delivery(guid=guid, event="issues", action="opened", repository_id=7, received_at=10.0, body=body)


def build_run(run_id: str = "r1", **changes: object) -> Run:
    run = Run(id=run_id, repository_id=7, installation_id=3, subject_key="issue-1", created_at=1.0)
    return replace(run, **changes)  # type: ignore[arg-type]


def build_repository(repository_id: int = 7, name: str = "o/r", installation_id: int = 3) -> Repository:
    return Repository(
        id=repository_id, full_name=name, installation_id=installation_id, default_branch="main"
    )


def test_the_migrations_make_the_tables_the_code_speaks_of(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "suture_version"})
        names = set(metadata.tables)
        difference = [item for item in compare_metadata(context, metadata) if "remove" not in str(item[0])]
    assert names
    assert difference == []


def test_migrating_twice_and_at_once_is_harmless(store: Store) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrate(store.engine), range(4)))
    assert store.runs.latest() == []


def test_sqlite_commits_last_and_readers_do_not_block(store: Store) -> None:
    if store.engine.dialect.name != "sqlite":
        pytest.skip("a claim about SQLite")
    with store.engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}


def test_a_delivery_and_its_job_are_stored_together_and_once(store: Store) -> None:
    enqueued: list[str] = []
    fresh = store.deliveries.accept(
        [build_delivery(), build_delivery(), build_delivery("d-2")],
        lambda _connection, delivery: enqueued.append(delivery.guid),
    )
    again = store.deliveries.accept([build_delivery()], lambda _c, d: enqueued.append(d.guid))
    assert (fresh, again, enqueued) == (frozenset({"d-1", "d-2"}), frozenset(), ["d-1", "d-2"])


def test_a_delivery_whose_job_cannot_be_enqueued_is_not_stored(store: Store) -> None:
    def fail(_connection: sa.Connection, _delivery: Delivery) -> None:
        raise RuntimeError("no queue")

    with pytest.raises(RuntimeError):
        store.deliveries.accept([build_delivery()], fail)
    assert store.deliveries.find("d-1") is None


def test_the_same_delivery_from_many_threads_is_new_once(store: Store) -> None:
    def accept(_: int) -> int:
        return len(store.deliveries.accept([build_delivery()], lambda _c, _d: None))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(accept, range(16))) == 1


def test_a_dropped_payload_leaves_the_guid(store: Store) -> None:
    store.deliveries.accept([build_delivery()], lambda _c, _d: None)
    dropped = store.deliveries.drop_payloads(before=11.0)
    found = store.deliveries.find("d-1")
    assert (dropped, found and found.body) == (1, b"")
    assert store.deliveries.accept([build_delivery()], lambda _c, _d: None) == frozenset()


def test_deliveries_are_counted_by_state(store: Store) -> None:
    store.deliveries.accept([build_delivery(), build_delivery("d-2")], lambda _c, _d: None)
    store.deliveries.conclude("d-1", DeliveryState.DONE, "noted")
    assert store.deliveries.count() == {"accepted": 1, "done": 1}


def test_two_commands_at_once_open_one_run(store: Store) -> None:
    def open_run(number: int) -> str:
        return store.runs.open(build_run(f"r{number}"), lambda _c: None).id

    with ThreadPoolExecutor(8) as pool:
        standing = set(pool.map(open_run, range(8)))
    assert len(standing) == 1
    assert [run.id for run in store.runs.latest()] == list(standing)


def test_opening_the_same_run_again_enqueues_nothing(store: Store) -> None:
    enqueued: list[int] = []
    for _ in range(2):
        store.runs.open(build_run(), lambda _c: enqueued.append(1))
    assert enqueued == [1]


def test_a_finished_run_makes_room_for_the_next(store: Store) -> None:
    store.runs.open(build_run(), lambda _c: None)
    store.runs.change("r1", UNFINISHED, state=RunState.FINISHED)
    assert store.runs.open(build_run("r2"), lambda _c: None).id == "r2"


def test_a_change_counts_only_in_the_states_it_is_meant_for(store: Store) -> None:
    store.runs.open(build_run(), lambda _c: None)
    assert store.runs.change("r1", UNFINISHED, state=RunState.FINISHED, outcome="cancelled")
    assert not store.runs.change("r1", UNFINISHED, state=RunState.PUBLISHING)
    run = store.runs.get("r1")
    assert run is not None
    assert (run.state, run.active, run.outcome) == (RunState.FINISHED, False, "cancelled")


def test_handing_on_rolls_back_with_its_job(store: Store) -> None:
    store.runs.open(build_run(), lambda _c: None)

    def fail(_connection: sa.Connection) -> None:
        raise RuntimeError("no queue")

    with pytest.raises(RuntimeError):
        store.runs.hand_on("r1", UNFINISHED, fail, state=RunState.PUBLISHING)
    run = store.runs.get("r1")
    assert run is not None
    assert run.state is RunState.QUEUED


def test_a_moment_noted_twice_is_one(store: Store) -> None:
    store.runs.open(build_run(), lambda _c: None)
    store.runs.note("r1", 1.0, "started", "on main")
    store.runs.note("r1", 2.0, "started", "on main")
    assert [(event.at, event.what) for event in store.runs.events("r1")] == [(1.0, "started")]


def test_an_artifact_of_a_name_replaces_the_one_before(store: Store) -> None:
    store.runs.attach("r1", "result.json", Artifact(digest="a" * 64, size=1))
    store.runs.attach("r1", "result.json", Artifact(digest="b" * 64, size=1))
    assert store.runs.artifacts("r1") == {"result.json": "b" * 64}


def test_a_second_report_of_the_flaw_is_found_by_its_id_or_its_words(store: Store) -> None:
    first = Report(id="GHSA-aaaa-bbbb-cccc", title="Traversal", body="x/../y", aliases=("CVE-2026-12345",))
    store.reports.save("a", 7, "issue-1", first, 1.0)
    by_id = Report(id="issue-2", title="Also cve-2026-12345", body="other words")
    by_words = Report(id="issue-3", title="traversal!", body="X/../y")
    neither = Report(id="issue-4", title="Mentions", body="unlike CVE-2026-12345")
    from bot.store.reports import flaw_keys

    found = [store.reports.same_flaw(7, flaw_keys(report)) for report in (by_id, by_words, neither)]
    assert found == [["a"], ["a"], []]
    assert store.reports.same_flaw(8, flaw_keys(by_id)) == []


def test_a_report_comes_back_as_it_was(store: Store) -> None:
    report = Report(id="i", title="t", body="b", cwes=("CWE-22",), visibility=Visibility.PRIVATE)
    store.reports.save("a", 7, "issue-1", report, 1.0)
    assert store.reports.get("a") == report


def test_a_renamed_or_moved_repository_keeps_its_id_and_its_branch(store: Store) -> None:
    store.repositories.see(build_repository(), 1.0)
    short = Repository(id=7, full_name="new/name", installation_id=9)
    store.repositories.see(short, 2.0)
    assert store.repositories.get(7) == build_repository(name="new/name", installation_id=9)


def test_an_archived_repository_may_come_back(store: Store) -> None:
    store.repositories.see(replace(build_repository(), archived=True), 1.0)
    store.repositories.see(build_repository(), 2.0)
    found = store.repositories.get(7)
    assert found is not None
    assert not found.archived


def test_the_last_good_configuration_stays_when_a_bad_one_is_seen(store: Store) -> None:
    store.repositories.see(build_repository(), 1.0)
    store.repositories.set_config(7, text="enabled: true", problem="", at=1.0)
    store.repositories.set_config(7, text=None, problem="line 3: wrong", at=2.0)
    found = store.repositories.config(7)
    assert found is not None
    assert (found.text, found.problem, found.checked_at) == ("enabled: true", "line 3: wrong", 2.0)


def test_forgetting_a_repository_leaves_no_row_but_the_guids(store: Store) -> None:
    store.repositories.see(build_repository(), 1.0)
    store.deliveries.accept([build_delivery()], lambda _c, _d: None)
    store.reports.save("r1", 7, "issue-1", Report(id="i", title="t", body="b"), 1.0)
    store.runs.open(build_run(), lambda _c: None)
    store.runs.note("r1", 1.0, "x")
    store.runs.attach("r1", "n", Artifact(digest="a" * 64, size=1))
    store.pulls.save(build_pull())
    store.pulls.record(build_feedback())
    store.pulls.refuse(7, "issue-1", 5, "k", 1.0)
    store.repositories.forget([7])
    with store.engine.connect() as connection:
        left = {
            name: count
            for name, table in metadata.tables.items()
            if (count := connection.execute(sa.select(sa.func.count()).select_from(table)).scalar())
        }
    assert left == {"deliveries": 1}
    found = store.deliveries.find("d-1")
    assert found is not None
    assert found.body == b""


def test_a_stranger_is_refused_once_per_subject_also_when_the_step_runs_again(store: Store) -> None:
    asked = [store.pulls.refuse(7, "issue-1", 5, key, 1.0) for key in ("k1", "k1", "k2")]
    assert [*asked, store.pulls.refuse(7, "issue-2", 5, "k3", 1.0)] == [True, True, False, True]


def build_pull(**changes: object) -> Pull:
    pull = Pull(repository_id=7, number=4, run_id="r1", subject_key="issue-1", branch="b", head_sha="h")
    return replace(pull, **changes)  # type: ignore[arg-type]


def build_feedback(key: str = "k") -> Feedback:
    return Feedback(key=key, repository_id=7, pull_number=4, run_id="r1", what="merged", actor="ann")


def test_saving_a_pull_request_again_keeps_what_people_did(store: Store) -> None:
    store.pulls.save(build_pull())
    store.pulls.change(7, 4, handed_over=True)
    store.pulls.save(build_pull(run_id="r2", head_sha="h2"))
    assert store.pulls.get(7, 4) == build_pull(run_id="r2", head_sha="h2", handed_over=True)
    assert store.pulls.count_open(7) == 1


def test_feedback_counts_once_per_event(store: Store) -> None:
    for key in ("k", "k", "l"):
        store.pulls.record(build_feedback(key))
    assert [item.key for item in store.pulls.feedback(7)] == ["k", "l"]


def test_a_slot_is_held_by_one(store: Store) -> None:
    def claim(number: int) -> bool:
        return store.slots.claim(Slot(name="s", owner=f"o{number}", host="h", process="p"), instead_of="")

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(claim, range(8))) == 1


def test_who_lost_a_slot_is_told_at_the_next_beat(store: Store) -> None:
    store.slots.claim(Slot(name="s", owner="a", host="h", process="p"), instead_of="")
    assert store.slots.beat("s", "a")
    assert store.slots.claim(Slot(name="s", owner="b", host="h", process="p"), instead_of="a")
    assert not store.slots.beat("s", "a")


def test_old_runs_go_with_all_that_hangs_on_them(store: Store) -> None:
    store.runs.open(build_run(), lambda _c: None)
    store.runs.attach("r1", "n", Artifact(digest="a" * 64, size=1))
    store.runs.change("r1", UNFINISHED, state=RunState.FINISHED, finished_at=5.0)
    assert store.runs.drop(before=4.0) == 0
    assert store.runs.drop(before=6.0) == 1
    assert (store.runs.get("r1"), store.runs.digests()) == (None, frozenset())


def test_reading_does_not_wait_for_a_writer(store: Store) -> None:
    with writing(store.engine) as connection:
        connection.execute(sa.text("UPDATE marks SET at = 1"))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(store.runs.latest).result(timeout=5) == []
