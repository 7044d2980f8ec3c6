"""The page asks, reviews and finishes; nobody else can use it, and no mishap loses the new App."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.setup.credentials import AppCredentials
from bot.setup.errors import ConversionError, SetupError, StorageError
from bot.setup.manifest import read_registration
from bot.setup.page import Steps, Visit, Wishes, create_page

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from bot.setup.hosts import Host

APP = AppCredentials(
    id=42,
    slug="suture-octo",
    name="suture <octo>",
    html_url="https://github.com/apps/suture-octo",
    pem="-----BEGIN RSA PRIVATE KEY-----",
    webhook_secret="hook-secret",
)
GIVEN = {
    "github": "https://github.com",
    "organization": "octo",
    "public_url": "https://suture.example.org",
    "name": "suture-octo",
}


class Scripted:
    """Steps that fail as told, in order, then work."""

    def __init__(self, *, exchange: tuple[SetupError, ...] = (), store: tuple[SetupError, ...] = ()) -> None:
        self.exchange_faults, self.store_faults = list(exchange), list(store)
        self.calls: list[str] = []

    def steps(self) -> Steps:
        return Steps(exchange=self.exchange, check=lambda: self.calls.append("check"), store=self.store)

    def exchange(self, host: Host, code: str) -> AppCredentials:
        self.calls.append(f"exchange {host.api_url} {code}")
        if self.exchange_faults:
            raise self.exchange_faults.pop(0)
        return APP

    def store(self, credentials: AppCredentials, host: Host) -> tuple[Path, ...]:
        self.calls.append(f"store {credentials.id} {host.web_url}")
        if self.store_faults:
            raise self.store_faults.pop(0)
        return (Path("/data/suture.toml"),)


def build_page(scripted: Scripted | None = None, **wishes: str) -> tuple[FlaskClient, Visit]:
    visit = Visit(key="the-key")
    steps = (scripted or Scripted()).steps()
    app = create_page(read_registration(), Wishes(**wishes), steps, visit)
    return app.test_client(), visit


def review(client: FlaskClient, **changes: str) -> Any:
    return client.post("/review", data={"key": "the-key", **GIVEN, **changes})


def state_of(page: str) -> str:
    match = re.search(r'action="([^"]+/settings/apps/new[^"]*)"', page)
    assert match
    return parse_qs(urlsplit(html.unescape(match.group(1))).query)["state"][0]


def test_the_form_starts_with_what_was_given() -> None:
    client, _ = build_page(organization="octo", public_url="https://suture.example.org")
    page = client.get("/?key=the-key").get_data(as_text=True)
    for value in ("octo", "https://suture.example.org", "suture-octo", "https://github.com"):
        assert f'value="{value}"' in page


@pytest.mark.parametrize("request_", ["/", "/?key=", "/?key=wrong", "/?key=\u00e9"])
def test_without_the_key_there_is_no_page(request_: str) -> None:
    client, _ = build_page()
    answer = client.get(request_)
    assert answer.status_code == 400
    assert "the-key" not in answer.get_data(as_text=True)
    assert client.post("/review", data=GIVEN).status_code == 400


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8976", "127.0.0.1.evil.example", "[::2]:80"])
def test_it_answers_under_a_local_name_only(host: str) -> None:
    client, _ = build_page()
    assert client.get("/?key=the-key", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8976"])
def test_a_forwarded_port_is_local_too(host: str) -> None:
    client, _ = build_page()
    assert client.get("/?key=the-key", headers={"Host": host}).status_code == 200


def test_the_review_shows_and_carries_the_whole_manifest() -> None:
    client, visit = build_page()
    page = review(client).get_data(as_text=True)
    match = re.search(r'name="manifest" value="([^"]+)"', page)
    assert match
    carried = json.loads(html.unescape(match.group(1)))
    assert carried["redirect_url"] == "http://localhost/callback"
    assert carried["default_permissions"]["contents"] == "write"
    assert "https://github.com/organizations/octo/settings/apps/new?state=" in page
    assert state_of(page) in visit.pending
    for permission in read_registration().permissions.values():
        assert html.escape(permission.why) in page


def test_the_review_s_button_may_post_to_the_chosen_github_only() -> None:
    client, _ = build_page()
    policy = review(client, github="https://github.example.com").headers["Content-Security-Policy"]
    assert "form-action 'self' https://github.example.com;" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_plain_http_is_warned_about() -> None:
    client, _ = build_page()
    assert "not https" in review(client, public_url="http://suture.example.org").get_data(as_text=True)
    assert "not https" not in review(client).get_data(as_text=True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"github": "ftp://x"}, "The address of GitHub looks like"),
        ({"organization": "a/b"}, "short name"),
        ({"public_url": ""}, "The address of this server looks like"),
        ({"name": ""}, "needs a name"),
    ],
)
def test_what_is_mistyped_comes_back_with_one_line_and_everything_typed(
    changes: dict[str, str], said: str
) -> None:
    client, visit = build_page()
    answer = review(client, **changes)
    page = answer.get_data(as_text=True)
    assert (answer.status_code, visit.pending) == (400, {})
    assert said in page
    for value in ({**GIVEN, **changes}).values():
        assert f'value="{value}"' in page


def test_what_is_typed_is_never_markup() -> None:
    client, _ = build_page()
    assert "<script>" not in review(client, name="<script>alert(1)</script>" * 2).get_data(as_text=True)


def test_github_s_answer_finishes_the_registration_once() -> None:
    scripted = Scripted()
    client, visit = build_page(scripted)
    state = state_of(review(client).get_data(as_text=True))
    address = f"/callback?code=c0de&state={state}"
    page = client.get(address).get_data(as_text=True)
    assert "suture &lt;octo&gt; is registered" in page
    assert "https://github.com/apps/suture-octo/installations/new" in page
    assert "hook-secret" not in page
    assert visit.finished.is_set()
    assert client.get(address).status_code == 200
    assert scripted.calls == ["check", "exchange https://api.github.com c0de", "store 42 https://github.com"]


@pytest.mark.parametrize("query", ["", "?code=c0de", "?code=c0de&state=", "?code=c0de&state=wrong"])
def test_an_answer_with_another_state_is_refused(query: str) -> None:
    scripted = Scripted()
    client, visit = build_page(scripted)
    review(client)
    answer = client.get(f"/callback{query}")
    assert (answer.status_code, visit.finished.is_set(), scripted.calls) == (400, False, ["check"])
    assert "the-key" not in answer.get_data(as_text=True)


def test_before_any_review_no_answer_is_taken() -> None:
    client, _ = build_page()
    assert client.get("/callback?code=c0de&state=").status_code == 400


def test_an_answer_without_code_is_explained() -> None:
    client, _ = build_page()
    state = state_of(review(client).get_data(as_text=True))
    assert "no App was created" in client.get(f"/callback?state={state}").get_data(as_text=True)


def test_an_answer_to_an_earlier_review_counts() -> None:
    client, visit = build_page()
    first = state_of(review(client).get_data(as_text=True))
    review(client, name="other")
    assert client.get(f"/callback?code=c0de&state={first}").status_code == 200
    assert visit.finished.is_set()


def test_after_a_network_fault_the_same_page_may_be_loaded_again() -> None:
    scripted = Scripted(exchange=(ConversionError("cannot be reached", retryable=True),))
    client, visit = build_page(scripted)
    state = state_of(review(client).get_data(as_text=True))
    page = client.get(f"/callback?code=c0de&state={state}").get_data(as_text=True)
    assert "cannot be reached" in page
    assert "Try again" in page
    assert client.get(f"/callback?code=c0de&state={state}").status_code == 200
    assert visit.finished.is_set()


def test_a_spent_code_is_not_offered_again() -> None:
    client, _ = build_page(Scripted(exchange=(ConversionError("spent", retryable=False),)))
    state = state_of(review(client).get_data(as_text=True))
    assert "Try again" not in client.get(f"/callback?code=c0de&state={state}").get_data(as_text=True)


def test_credentials_that_could_not_be_stored_are_kept_for_the_next_try() -> None:
    """A code works once, so the answer must outlive a full disk."""
    scripted = Scripted(store=(StorageError("Cannot write to /data: No space left on device."),))
    client, visit = build_page(scripted)
    address = f"/callback?code=c0de&state={state_of(review(client).get_data(as_text=True))}"
    assert "No space left" in client.get(address).get_data(as_text=True)
    assert not visit.finished.is_set()
    assert client.get(address).status_code == 200
    assert [call.split()[0] for call in scripted.calls] == ["check", "exchange", "store", "store"]


def test_a_form_of_any_size_is_not_read() -> None:
    client, _ = build_page()
    assert review(client, name="x" * 20_000).status_code == 413
