"""The registration end to end on real sockets, against a stand-in that answers as GitHub's schema says."""

from __future__ import annotations

import asyncio
import html
import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from bot.settings import load_settings
from bot.setup import SetupError, Wishes, register_app
from bot.setup.errors import ConversionError
from bot.setup.exchange import exchange
from bot.setup.hosts import Host

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CREDENTIALS = {
    "id": 42,
    "slug": "suture-octo",
    "node_id": "MDExOkludGVncmF0aW9uNDI=",
    "owner": {"login": "octo"},
    "name": "suture-octo",
    "description": "",
    "external_url": "https://suture.example.org",
    "html_url": "https://github.com/apps/suture-octo",
    "created_at": "2026-11-30T08:00:00Z",
    "updated_at": "2026-11-30T08:00:00Z",
    "permissions": {"metadata": "read"},
    "events": ["push"],
    "client_id": "Iv1.1",
    "client_secret": "client-secret",
    "webhook_secret": "hook-secret",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n",
}


async def _convert(request: web.Request) -> web.Response:
    code = request.match_info["code"]
    if code.isdigit():
        return web.json_response({"message": "no"}, status=int(code))
    if code == "odd":
        return web.json_response({"id": "x"}, status=201)
    if code == "slow":
        await asyncio.sleep(5)
    return web.json_response(CREDENTIALS, status=201)


@pytest.fixture
def github() -> Iterator[Host]:
    """Run the stand-in in a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> tuple[web.AppRunner, int]:
        app = web.Application()
        app.router.add_post("/api/v3/app-manifests/{code}/conversions", _convert)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    runner, port = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    yield Host(web_url=f"http://127.0.0.1:{port}", api_url=f"http://127.0.0.1:{port}/api/v3")
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def browse(address: str, form: dict[str, str] | None = None) -> str:
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    with urllib.request.urlopen(address, body, timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def play(address: str, github: Host) -> None:
    """Be the person and GitHub: fill the form in, press the button, come back with a code."""
    key = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)["key"][0]
    base = address.partition("/?")[0]
    assert "Register Suture" in browse(address)
    given = {"github": github.web_url, "organization": "octo", "public_url": "https://s.example", "name": "s"}
    page = browse(f"{base}/review", {"key": key, **given})
    action = re.search(r'action="([^"]+)"', page)
    sent = re.search(r'name="manifest" value="([^"]+)"', page)
    assert action
    assert sent
    target = urllib.parse.urlsplit(html.unescape(action.group(1)))
    assert f"{target.scheme}://{target.netloc}" == github.web_url
    back = json.loads(html.unescape(sent.group(1)))["redirect_url"]
    browse(f"{back}?code=good&{target.query}")


def test_the_whole_way_leaves_credentials_that_settings_can_read(tmp_path: Path, github: Host) -> None:
    faults: list[BaseException] = []

    def announce(address: str) -> None:
        def visit() -> None:
            try:
                play(address, github)
            except BaseException as fault:  # noqa: BLE001 (reported by the test itself)
                faults.append(fault)

        threading.Thread(target=visit).start()

    done = register_app(Wishes(), tmp_path, port=0, replace=False, seconds=20, announce=announce)
    assert faults == []
    assert (done.app.id, done.app.name) == (42, "suture-octo")
    settings = load_settings({"SUTURE_DATA_DIR": str(tmp_path)})
    assert (settings.app_id, settings.app_slug) == (42, "suture-octo")
    assert (settings.github_url, settings.github_api_url) == (github.web_url, github.api_url)
    assert settings.private_key.get_secret_value().startswith("-----BEGIN RSA PRIVATE KEY-----")
    assert settings.webhook_secrets == (b"hook-secret",)
    assert {path.stat().st_mode & 0o777 for path in done.files} == {0o600}


def test_nobody_coming_ends_it(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="in time"):
        register_app(Wishes(), tmp_path, port=0, replace=False, seconds=0.05, announce=lambda _address: None)


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    def announce(address: str) -> None:
        port = int(address.split(":")[2].partition("/")[0])
        with pytest.raises(SetupError, match=f"Cannot listen on port {port}"):
            register_app(Wishes(), tmp_path, port=port, replace=False, seconds=1, announce=print)

    with pytest.raises(SetupError, match="in time"):
        register_app(Wishes(), tmp_path, port=0, replace=False, seconds=0.05, announce=announce)


@pytest.mark.parametrize(
    ("code", "said", "retryable"),
    [
        ("404", "spent, or older than an hour", False),
        ("422", "spent, or older than an hour", False),
        ("403", "answered 403. Begin again.", False),
        ("301", "answered 301. Begin again.", False),
        ("429", "answered 429. Try again in a minute.", True),
        ("500", "answered 500. Try again in a minute.", True),
        ("odd", "not with an App", False),
    ],
)
def test_every_answer_of_github_is_explained(github: Host, code: str, said: str, *, retryable: bool) -> None:
    with pytest.raises(ConversionError, match=re.escape(said)) as caught:
        exchange(github, code)
    assert caught.value.retryable is retryable


def test_a_github_that_is_not_there_or_slow_may_be_asked_again(
    github: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = Host(web_url="http://127.0.0.1:9", api_url="http://127.0.0.1:9/api/v3")
    monkeypatch.setattr("bot.setup.exchange.SECONDS", 0.3)
    for host in (nowhere, github):
        with pytest.raises(ConversionError, match="cannot be reached") as caught:
            exchange(host, "slow")
        assert caught.value.retryable


def test_the_credentials_come_from_the_answer(github: Host) -> None:
    assert exchange(github, "good").webhook_secret == "hook-secret"
