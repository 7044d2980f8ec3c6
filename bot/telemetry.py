"""Logs that hold no secret, metrics, and spans. Set up once, at the start of a process."""

from __future__ import annotations

import logging
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import structlog
from opentelemetry import trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping

HIDDEN = "[hidden]"
NOISY = ("alembic", "dbos", "github", "urllib3", "asyncio")
"""Libraries that say at info level what is no news to an operator."""

_SECRET_KEYS = re.compile(
    r"(?:^|_)(?:token|secret|password|key|authorization|payload|prompt|signature)(?:$|_)", re.IGNORECASE
)
_SECRET_VALUES = re.compile(
    r"gh[a-z]_[A-Za-z0-9_]{20,}"  # GitHub tokens
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # JSON web tokens
    r"|sk-[A-Za-z0-9_-]{16,}"  # keys of model endpoints
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?i:bearer|basic) [A-Za-z0-9+/=._~-]{12,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",  # user:password in a URL
    re.DOTALL,
)


def redact(value: Any, key: str = "") -> Any:
    """Return the value with everything that looks like a secret hidden; pure."""
    if key and _SECRET_KEYS.search(key):
        return HIDDEN
    if isinstance(value, str):
        return _SECRET_VALUES.sub(HIDDEN, value)
    if isinstance(value, dict):
        return {name: redact(item, str(name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    return value


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Hide secrets in one log event; also in the traceback, so it runs after the traceback was rendered."""
    for key in list(event):
        event[key] = redact(event[key], key)
    return event


def configure_logging(level: str = "info", style: str = "json") -> None:
    """Send structlog's and the libraries' logs to standard error, redacted."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    render: Any = structlog.processors.JSONRenderer()
    if style == "console":
        render = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, redact_event, render],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        cache_logger_on_first_use=True,
    )


class Metrics:
    """The process's metrics; labels are few and never hold names of repositories or people."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.deliveries = self._counter("deliveries", "Webhooks by answer", "answer")
        self.refused = self._counter("refused", "Commands refused", "reason")
        self.runs = self._counter("runs", "Finished runs by outcome", "outcome")
        self.steps = self._counter("steps", "Durable steps by result", "step", "result")
        self.takeovers = self._counter("takeovers", "Jobs taken over from a dead worker")
        self.answer_seconds = Histogram(
            "suture_webhook_answer_seconds",
            "Time to answer a webhook",
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
        )
        self.step_seconds = Histogram(
            "suture_step_seconds",
            "Time of a durable step",
            ["step"],
            registry=self.registry,
            buckets=(0.01, 0.1, 1, 10, 60, 300, 1200, 3600),
        )
        self.last_beat = Gauge(
            "suture_slot_beat_seconds", "Epoch of the last heartbeat", registry=self.registry
        )

    def render(self) -> bytes:
        """Return the text that Prometheus reads."""
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"suture_{name}", text, labels, registry=self.registry)


@contextmanager
def span(name: str, **attributes: str | int) -> Iterator[None]:
    """Open an OpenTelemetry span; does nothing until an SDK is configured."""
    with trace.get_tracer("suture").start_as_current_span(name) as current:
        for key, value in attributes.items():
            current.set_attribute(f"suture.{key}", value)
        yield
