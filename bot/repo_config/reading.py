"""From text to configuration: every problem at once, each with its line and key; nothing is raised."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from bot.repo_config.model import RepoConfig
from bot.repo_config.yaml_tree import Problem, Tree, merged, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

    from bot.repo_config.yaml_tree import Path

DEFAULTS = RepoConfig()

_EXPECTED = {
    "bool_type": "true or false is expected",
    "int_type": "a whole number is expected",
    "int_from_float": "a whole number is expected",
    "float_type": "a number is expected",
    "string_type": "text is expected; put it in quotes",
    "tuple_type": "a list is expected",
    "model_type": "keys and values are expected",
    "greater_than": "more than {gt:g} is expected",
    "greater_than_equal": "at least {ge:g} is expected",
    "less_than_equal": "at most {le:g} is expected",
    "finite_number": "a finite number is expected",
    "string_too_short": "some text is expected",
    "string_too_long": "at most {max_length} characters are expected",
    "too_long": "at most {max_length} values are expected",
    "enum": "{expected} is expected",
    "value_error": "{error}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """What the operator allows: models to choose from (empty: no choice), and bounds (None: none)."""

    models: tuple[str, ...] = ()
    minutes: float | None = None
    money: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblems:
    """Why a configuration cannot be used, in the order of its lines; the last good one stays in force."""

    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        """Return one line a problem."""
        return "\n".join(str(problem) for problem in self.problems)


def read_config(
    content: str | bytes | None, defaults: RepoConfig = DEFAULTS, operator: Operator | None = None
) -> RepoConfig | ConfigProblems:
    """Return the configuration in ``content`` with ``defaults`` (the organisation's) under it, or its problems.

    None (there is no file) and an empty file give ``defaults``. The caller keeps the last good configuration.
    """
    tree = read_tree(b"" if content is None else content)
    problems = [*tree.problems, *_shape_problems(tree)]
    if not problems:
        config = RepoConfig.model_validate(merged(defaults.model_dump(exclude_unset=True), tree.values))
        problems = list(_operator_problems(tree, config, operator or Operator()))
        if not problems:
            return config
    return ConfigProblems(problems=tuple(sorted(problems, key=lambda problem: problem.line)))


def _shape_problems(tree: Tree) -> list[Problem]:
    try:
        RepoConfig.model_validate(tree.values)
    except ValidationError as error:
        return [_problem(tree, one) for one in error.errors(include_url=False)]
    return []


def _problem(tree: Tree, error: ErrorDetails) -> Problem:
    path: Path = error["loc"]
    return Problem(line=tree.line_of(path), key=".".join(map(str, path)), message=_message(error))


def _message(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return _unknown(error["loc"])
    expected = _EXPECTED.get(error["type"])
    return expected.format(**error.get("ctx", {})).replace("'", "`") if expected else error["msg"]


def _unknown(path: Path) -> str:
    """Return what to say of an unknown key, with the known one it resembles."""
    section: type[BaseModel] | None = RepoConfig
    for part in path[:-1]:
        section = _section(section, str(part))
    close = get_close_matches(str(path[-1]), section.model_fields, n=1) if section else []
    return f"there is no such key; did you mean `{close[0]}`?" if close else "there is no such key"


def _section(section: type[BaseModel] | None, key: str) -> type[BaseModel] | None:
    field = section.model_fields.get(key) if section else None
    kind: Any = field.annotation if field else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _operator_problems(tree: Tree, config: RepoConfig, operator: Operator) -> Iterator[Problem]:
    """Yield what the file itself asks beyond the operator's bounds; inherited values are the operator's care."""
    for key in ("author", "reviewer"):
        name = getattr(config.models, key)
        path: Path = ("models", key)
        if path in tree.lines and name and name not in operator.models:
            allowed = ", ".join(f"`{model}`" for model in operator.models) or "none"
            message = f"this model is not allowed by the operator (allowed: {allowed})"
            yield Problem(line=tree.line_of(path), key=f"models.{key}", message=message)
    for key in ("minutes", "money", "tokens"):
        asked, bound = getattr(config.limits, key), getattr(operator, key)
        path = ("limits", key)
        if path in tree.lines and bound is not None and asked is not None and asked > bound:
            message = f"the operator allows {bound:g} at most"
            yield Problem(line=tree.line_of(path), key=f"limits.{key}", message=message)
