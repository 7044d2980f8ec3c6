"""The doctor looks for real, and each line says what to do."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from rich.console import Console

from bot.cli.doctor import show
from bot.doctor.finding import Finding, Status
from bot.doctor.programs import Program, check_program, check_programs
from bot.doctor.services import check_database, check_github, check_model
from bot.settings import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]


def build_settings(tmp_path: Path, **variables: str) -> Settings:
    return load_settings({"SUTURE_DATA_DIR": str(tmp_path / "data"), **variables})


def program(tmp_path: Path, text: str) -> str:
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "status", "seen"),
    [
        ("echo tool version 3.2.1", Status.OK, "3.2.1"),
        ("echo tool 1.9 >&2", Status.FAILED, "1.9, 2.0 is needed"),
        ("echo no number", Status.WARNING, "version not understood"),
    ],
)
def test_versions_are_asked_and_compared(tmp_path: Path, text: str, status: Status, seen: str) -> None:
    asked = Program(name=program(tmp_path, text), minimum=(2, 0), advice="install it", required=True)
    found = check_program(asked)
    assert (found.status, found.seen) == (status, seen)


def test_a_missing_program_fails_only_when_it_is_required() -> None:
    for required, status in ((True, Status.FAILED), (False, Status.WARNING)):
        found = check_program(
            Program(name="no-such-program", minimum=(1,), advice="get it", required=required)
        )
        assert (found.status, found.seen, found.advice) == (status, "not found", "get it")


def test_a_program_that_does_not_start_says_so(tmp_path: Path) -> None:
    path = tmp_path / "broken"
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    found = check_program(Program(name=str(path), minimum=(1,), advice="mend it", required=True))
    assert (found.status, found.seen) == (Status.FAILED, "does not start: OSError")


def test_this_machine_has_what_the_tests_need() -> None:
    found = {item.check: item.status for item in check_programs()}
    assert found["git"] is Status.OK
    assert found["python"] is Status.OK


class Endpoint(BaseHTTPRequestHandler):
    """A model endpoint that knows one key and one model."""

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == "Bearer good"
        status = 404 if "/nothing" in self.path else 200 if known else 401
        body = {"object": "list", "data": [{"id": "m1", "object": "model", "created": 1, "owned_by": "x"}]}
        data = json.dumps(body if status == 200 else {"error": {"message": "no"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (the base class's name)
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_model_endpoint_is_asked(tmp_path: Path, endpoint: str) -> None:
    def check(**variables: str) -> tuple[Status, str]:
        found = check_model(build_settings(tmp_path, **variables))
        return found.status, found.seen

    assert check() == (Status.WARNING, "none configured: only rules can fix")
    good = {"OPENAI_BASE_URL": f"{endpoint}/v1", "OPENAI_API_KEY": "good"}
    assert check(**good) == (Status.OK, "1 models offered")
    assert check(**good, SUTURE_MODEL="m1")[0] is Status.OK
    assert check(**good, SUTURE_MODEL="m2") == (Status.FAILED, "m2 is not offered")
    assert check(**good | {"OPENAI_API_KEY": "bad"}) == (Status.FAILED, "the key is refused")
    assert check(**good | {"OPENAI_BASE_URL": f"{endpoint}/nothing"})[0] is Status.WARNING
    dead = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "good"}
    assert check(**dead) == (Status.FAILED, "the endpoint cannot be reached")


def test_the_database_is_opened(tmp_path: Path) -> None:
    assert check_database(build_settings(tmp_path)).status is Status.OK
    (tmp_path / "file").write_text("x")
    blocked = check_database(build_settings(tmp_path, SUTURE_DATA_DIR=str(tmp_path / "file")))
    assert (blocked.status, blocked.advice) == (Status.FAILED, "set SUTURE_DATA_DIR")
    dead = check_database(build_settings(tmp_path, SUTURE_DATABASE_URL="postgresql://u:hush@127.0.0.1:9/db"))
    assert dead.status is Status.FAILED
    assert "hush" not in dead.seen + dead.advice


def test_github_credentials_must_be_able_to_sign(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert check_github(build_settings(tmp_path)).status is Status.WARNING
    app = {"SUTURE_APP_ID": "7", "SUTURE_PRIVATE_KEY": key.decode()}
    assert check_github(build_settings(tmp_path, **app)).seen == "no webhook secret"
    assert check_github(build_settings(tmp_path, **app, SUTURE_WEBHOOK_SECRET="s")).status is Status.OK
    bad = check_github(build_settings(tmp_path, **app | {"SUTURE_PRIVATE_KEY": "nonsense"}))
    assert bad.status is Status.FAILED
    assert "nonsense" not in bad.seen


def test_findings_are_lines_with_advice(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [
        Finding(check="git", status=Status.OK, seen="2.39"),
        Finding(check="node", status=Status.WARNING, seen="not found", advice="apt-get install nodejs"),
    ]
    show(findings, Console(no_color=True, width=100))
    assert capsys.readouterr().out.splitlines() == [
        "ok      git: 2.39",
        "warning node: not found",
        "        → apt-get install nodejs",
    ]


@pytest.mark.sandbox
def test_the_command_examines_everything(reachable: Path) -> None:
    """The sandbox is really started; every finding of JSON has its four fields."""
    done = subprocess.run(
        [sys.executable, "-m", "bot.cli", "doctor", "--json"],
        env={"PATH": "/usr/bin:/bin", "SUTURE_DATA_DIR": str(reachable), "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    findings = json.loads(done.stdout)
    assert {"git", "sandbox: start", "model", "database", "github"} <= {item["check"] for item in findings}
    assert all(set(item) == {"check", "status", "seen", "advice"} for item in findings)
    assert done.returncode == any(item["status"] == "failed" for item in findings)
    assert any(item["check"].startswith("sandbox: ") and item["status"] == "ok" for item in findings)
