"""GitHub's official description of its REST API as a judge of requests."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest

from tests.testbed.packages import OPENAPI

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOST = "https://api.github.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A request that GitHub's description does not allow."""

    method: str
    path: str
    problem: str


class Judge:
    """Validates requests; loading takes about a second."""

    def __init__(self) -> None:
        self.description: dict[str, Any] = json.loads(OPENAPI.read_text())
        self.description["servers"] = [{"url": HOST}]
        for parameter in _parameters(self.description):
            _writable(parameter, self.description)
        # Checking the description itself takes half a minute and finds nothing about our requests.
        unchecked = Config(spec_validator_cls=None)  # type: ignore[arg-type]  # its own way to say "no check"
        self._api = OpenAPI.from_dict(self.description, config=unchecked)
        self._known = [re.compile(_template(path)) for path in self.description["paths"]]
        self._long = [
            re.compile(f"^{_template(path[: path.rindex('/')])}/(.+)$")
            for path in self.description["paths"]
            if path.endswith("}")
        ]

    def example(self, name: str) -> Any:
        """Return a copy of one of GitHub's own examples."""
        return json.loads(json.dumps(self.description["components"]["examples"][name]["value"]))

    def violation(
        self, method: str, path: str, query: Mapping[str, str], body: bytes, content_type: str
    ) -> Violation | None:
        """Return what is wrong with a request, None when nothing is."""
        request = MockRequest(
            HOST,
            method.lower(),
            self._quoted(path),
            data=body or None,
            args=dict(query),
            content_type=content_type or "application/json",
        )
        try:
            self._api.validate_request(request)
        except OpenAPIError as error:
            return Violation(method=method, path=path, problem=_problem(error))
        return None

    def _quoted(self, path: str) -> str:
        """Return the path with the tail of one that spans folders quoted: the library knows no such paths."""
        if any(pattern.fullmatch(path) for pattern in self._known):
            return path
        for pattern in self._long:
            if match := pattern.match(path):
                return path[: match.start(1)] + quote(match.group(1), safe="")
        return path


def _template(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "[^/]+", path)


def _problem(error: OpenAPIError) -> str:
    causes = getattr(error.__cause__, "schema_errors", None) or []
    details = "; ".join(
        f"{'/'.join(map(str, cause.absolute_path))}: {cause.message[:200]}" for cause in causes
    )
    return f"{type(error).__name__}: {error} {details}".strip()


def _parameters(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from description["components"].get("parameters", {}).values()
    for operations in description["paths"].values():
        for operation in operations.values():
            if isinstance(operation, dict):
                yield from (item for item in operation.get("parameters", []) if "$ref" not in item)


def _writable(parameter: dict[str, Any], description: dict[str, Any]) -> None:
    """Let a path parameter share the schema of a read-only property (``alert_number`` does)."""
    schema = parameter.get("schema", {})
    if "$ref" in schema:
        target = description["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        parameter["schema"] = {key: value for key, value in target.items() if key != "readOnly"}
