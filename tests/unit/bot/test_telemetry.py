"""No secret reaches the log, whatever form it takes."""

from __future__ import annotations

import logging

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from bot.telemetry import HIDDEN, Metrics, configure_logging, redact, span

SECRETS = (
    "ghs_" + "a1" * 18,
    "github_pat_" + "A1_" * 10,
    "eyJhbGciOiJSUzI1.eyJpc3MiOiIxMjM0.c2lnbmF0dXJlLi4u",
    "sk-" + "x" * 24,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("secret", SECRETS)
@given(before=st.text(max_size=20), after=st.text(max_size=20))
def test_a_secret_inside_any_text_is_hidden(secret: str, before: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}")


@pytest.mark.parametrize("name", ["token", "webhook_secret", "Authorization", "private_key", "payload"])
def test_a_field_with_a_telling_name_is_hidden(name: str) -> None:
    assert redact({"deep": [{name: "value"}]}) == {"deep": [{name: HIDDEN}]}


def test_what_is_no_secret_stays() -> None:
    plain = {"tokens_in": 12, "repository_id": 7, "error": "not found", "keys": ["a"]}
    assert redact(plain) == plain


def test_the_password_of_a_url_is_hidden() -> None:
    assert redact("postgresql://user:pass@host/db") == f"postgresql://{HIDDEN}@host/db"


def test_tracebacks_and_library_logs_are_redacted_too(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "json")
    try:
        try:
            raise ValueError(SECRETS[0])  # noqa: TRY301  # the traceback is what is looked at
        except ValueError:
            structlog.get_logger("t").exception("it_failed", token="t0p")
        logging.getLogger("library").warning("Authorization: Bearer %s", "x" * 20)
        text = capsys.readouterr().err
    finally:
        structlog.reset_defaults()
        logging.getLogger().handlers.clear()
    assert "it_failed" in text
    assert "library" not in text or HIDDEN in text
    assert not any(secret in text for secret in (SECRETS[0], "t0p", "x" * 20))


def test_metrics_are_rendered_under_one_prefix() -> None:
    metrics = Metrics()
    metrics.runs.labels(outcome="fixed").inc()
    assert b'suture_runs_total{outcome="fixed"} 1.0' in metrics.render()


def test_a_span_without_an_sdk_does_nothing() -> None:
    with span("step.x", run_id="r", attempt=1):
        pass
