"""The page on localhost that leads through the registration: ask, review, come back from GitHub, done.

It is opened by a key in its address, answers only under a local name (so no other site can reach it by
rebinding its own name), and takes GitHub's answer only with the state it sent along.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from threading import Event, Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Flask, render_template, request

from bot.setup.errors import SetupError, StorageError
from bot.setup.hosts import read_host, read_organization, read_public_url
from bot.setup.manifest import manifest, read_name, suggested_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from werkzeug.wrappers import Response

    from bot.setup.credentials import AppCredentials
    from bot.setup.hosts import Host
    from bot.setup.manifest import Registration

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
MAXIMUM_FORM_BYTES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the form starts with."""

    github: str = "https://github.com"
    organization: str = ""
    public_url: str = ""
    name: str = ""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One registration from first page to last; ``finished`` is set when everything is stored.

    ``pending`` has the GitHub of every state that was sent along: an answer to an earlier review counts too.
    """

    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    pending: dict[str, Host] = field(default_factory=dict)
    target: str = ""
    credentials: AppCredentials | None = None
    files: tuple[Path, ...] = ()
    finished: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """What the page does beyond itself: exchange a code, see whether storing can work, and store."""

    exchange: Callable[[Host, str], AppCredentials]
    check: Callable[[], None]
    store: Callable[[AppCredentials, Host], tuple[Path, ...]]


class RegistrationPage:
    """The views, one method each."""

    def __init__(self, registration: Registration, wishes: Wishes, steps: Steps, visit: Visit) -> None:
        self._registration = registration
        self._wishes = wishes
        self._steps = steps
        self._visit = visit

    def only_local(self) -> tuple[str, int] | None:
        """Answer under a local name only."""
        name = urlsplit(f"//{request.host}").hostname
        return None if name in LOCAL_NAMES else ("This page answers on localhost only.\n", 421)

    def harden(self, response: Response) -> Response:
        """Let the page run nothing and be framed by nobody; forms go here or to the chosen GitHub."""
        response.headers["Content-Security-Policy"] = (
            f"default-src 'none'; style-src 'self'; form-action 'self' {self._visit.target}; "
            "base-uri 'none'; frame-ancestors 'none'"
        )
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    def explain(self, error: SetupError) -> tuple[str, int]:
        """Show what went wrong and where to go on; what can be repeated is repeated by the same address."""
        again = isinstance(error, StorageError) or error.retryable
        return render_template("error.html", reason=str(error), again=again), HTTPStatus.BAD_REQUEST

    def ask(self) -> str:
        """Ask where the App shall live."""
        self._require_key(request.args.get("key", ""))
        name = self._wishes.name or suggested_name(self._wishes.organization)
        return self._form({**asdict(self._wishes), "name": name}, "")

    def review(self) -> str | tuple[str, int]:
        """Show what will be asked of GitHub, with the button that asks it."""
        self._require_key(request.form.get("key", ""))
        given = {name: request.form.get(name, "").strip() for name in asdict(self._wishes)}
        try:
            return self._review(given)
        except SetupError as error:
            return self._form(given, str(error)), HTTPStatus.BAD_REQUEST

    def callback(self) -> str:
        """Take GitHub's answer: exchange the code, then store. Loading the page again does no harm."""
        given, code = request.args.get("state", ""), request.args.get("code", "")
        known = [host for state, host in self._visit.pending.items() if _same(given, state)]
        if not known:
            raise SetupError("This answer does not belong to this registration. Run `suture setup` again.")
        if not code:
            raise SetupError("GitHub sent no code, so no App was created. Go back and try again.")
        with self._visit.lock:
            return self._finish(known[0], code)

    def _review(self, given: dict[str, str]) -> str:
        host, organization = read_host(given["github"]), read_organization(given["organization"])
        public_url, name = read_public_url(given["public_url"], host), read_name(given["name"])
        self._steps.check()
        state = secrets.token_urlsafe(24)
        self._visit.pending[state], self._visit.target = host, host.web_url
        back = f"http://{request.host}/callback"
        asked = manifest(self._registration, name=name, public_url=public_url, redirect_url=back)
        return render_template(
            "review.html",
            target=host.new_app_url(organization, state),
            manifest=json.dumps(asked),
            asked=asked,
            registration=self._registration,
            owner=organization or "your own account",
            host=host,
            key=self._visit.key,
        )

    def _finish(self, host: Host, code: str) -> str:
        visit = self._visit
        if visit.credentials is None:
            visit.credentials = self._steps.exchange(host, code)
        if not visit.files:
            visit.files = self._steps.store(visit.credentials, host)
        visit.finished.set()
        return render_template("done.html", app=visit.credentials, files=visit.files)

    def _form(self, values: dict[str, str], problem: str) -> str:
        return render_template("form.html", values=values, problem=problem, key=self._visit.key)

    def _require_key(self, given: str) -> None:
        if not _same(given, self._visit.key):
            raise SetupError("Open the address that `suture setup` printed; its key opens this page.")


def _same(given: str, secret: str) -> bool:
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())


def create_page(registration: Registration, wishes: Wishes, steps: Steps, visit: Visit) -> Flask:
    """Return the page as a WSGI application."""
    page = RegistrationPage(registration, wishes, steps, visit)
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAXIMUM_FORM_BYTES
    app.before_request(page.only_local)
    app.after_request(page.harden)
    app.register_error_handler(SetupError, page.explain)
    app.add_url_rule("/", view_func=page.ask)
    app.add_url_rule("/review", view_func=page.review, methods=["POST"])
    app.add_url_rule("/callback", view_func=page.callback)
    return app
