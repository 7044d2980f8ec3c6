"""What a Python project's manifests and lock files say. Pure."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.toolchains.documents import ini, strings, table, toml

if TYPE_CHECKING:
    import configparser

    from agent.toolchains.snapshot import Snapshot

SCM = re.compile(
    r"setuptools[-_]scm|hatch-vcs|versioningit|\bpbr\b|poetry-dynamic-versioning|\[tool\.pdm\.version\]"
)
VERSION = re.compile(r"(?<![\w.])v?(\d+\.\d+(?:\.\d+)*)(?![\w.]*\w)")
CHANGELOGS = re.compile(
    r"^(?:docs?/)?(?:changelog|changes|history|news|release.?notes)[.\w]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFacts:
    """What of the manifests decides how to install; ``origin`` is the file that makes it a project."""

    name: str = ""
    manager: str = "pip"
    origin: str = "convention"
    installable: bool = False
    requires_python: str = ""
    extras: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    development: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    has_uv_lock: bool = False
    scm_version: str = ""


def facts(snapshot: Snapshot) -> PythonFacts:
    """Return what the manifests say; ``origin`` is ``convention`` when there is no Python manifest."""
    document = toml(snapshot.text("pyproject.toml"))
    cfg = ini(snapshot.text("setup.cfg"))
    arguments = setup_arguments(snapshot.text("setup.py"))
    origin = _origin(snapshot, document, cfg)
    if not origin:
        return PythonFacts()
    project, poetry = table(document, "project"), table(document, "tool", "poetry")
    pipfile = toml(snapshot.text("Pipfile"))
    builds = bool(project or "build-system" in document or snapshot.text("setup.py") or poetry)
    asked = strings(arguments.get("tests_require"))
    development = (
        *_poetry_development(poetry),
        *_pdm_development(document),
        *_pipfile(pipfile, "dev-packages"),
    )
    return PythonFacts(
        name=_first(
            project.get("name"), poetry.get("name"), _option(cfg, "metadata", "name"), arguments.get("name")
        ),
        manager=_manager(snapshot, document),
        origin=origin,
        installable=builds and poetry.get("package-mode") is not False,
        requires_python=_first(
            project.get("requires-python"),
            _option(cfg, "options", "python_requires"),
            arguments.get("python_requires"),
            table(poetry, "dependencies").get("python"),
        ),
        extras=_extras(document, cfg, arguments),
        groups=frozenset(table(document, "dependency-groups")),
        development=(*development, *asked),
        runtime=_pipfile(pipfile, "packages"),
        locked=_locked(snapshot),
        has_uv_lock="uv.lock" in snapshot.texts,
        scm_version=_scm_version(snapshot),
    )


def _first(*values: object) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _option(cfg: configparser.ConfigParser, section: str, name: str) -> str:
    return cfg.get(section, name, fallback="") or ""


def _origin(snapshot: Snapshot, document: Mapping[str, object], cfg: configparser.ConfigParser) -> str:
    if "project" in document or "build-system" in document or table(document, "tool", "poetry"):
        return "pyproject.toml"
    if cfg.has_section("metadata") or cfg.has_section("options"):
        return "setup.cfg"
    named = [name for name in ("setup.py", "Pipfile", "requirements.txt") if name in snapshot.texts]
    return next(iter((*named, *requirement_files(snapshot))), "")


def _manager(snapshot: Snapshot, document: Mapping[str, object]) -> str:
    tools = table(document, "tool")
    signs = (
        ("uv", "uv.lock" in snapshot.texts),
        ("poetry", "poetry.lock" in snapshot.texts or "poetry" in tools),
        ("pdm", "pdm.lock" in snapshot.texts or "pdm" in tools),
        ("pipenv", "Pipfile" in snapshot.texts),
    )
    return next((name for name, seen in signs if seen), "pip")


def requirement_files(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the requirement files at the root and in ``requirements/``, ``test*/``."""
    pattern = re.compile(
        r"^(?:[\w-]*requirements?[\w.-]*\.txt|requirements?/[\w.-]+\.txt|tests?/[\w-]*requirements[\w.-]*\.txt)$"
    )
    return tuple(sorted(path for path in snapshot.texts if pattern.match(path)))


def setup_arguments(text: str) -> dict[str, object]:
    """Return the arguments of ``setup(…)`` that are literals, or names bound to literals; nothing is run."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    known: dict[str, object] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = _literal(node.value, known)
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            return {word.arg: _literal(word.value, known) for word in node.keywords if word.arg}
    return {}


def _literal(node: ast.expr, known: Mapping[str, object]) -> object:
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Dict):
        keys = [_literal(key, known) if key else None for key in node.keys]
        return {
            key: _literal(value, known)
            for key, value in zip(keys, node.values, strict=True)
            if isinstance(key, str)
        }
    try:
        found: object = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    return found


def _extras(
    document: Mapping[str, object], cfg: configparser.ConfigParser, arguments: Mapping[str, object]
) -> frozenset[str]:
    dynamic = arguments.get("extras_require")
    section = "options.extras_require"
    return frozenset(
        {
            *table(document, "project", "optional-dependencies"),
            *table(document, "tool", "poetry", "extras"),
            *(cfg.options(section) if cfg.has_section(section) else ()),
            *(dynamic if isinstance(dynamic, Mapping) else ()),
        }
    )


def _poetry_development(poetry: Mapping[str, object]) -> tuple[str, ...]:
    found = list(_poetry_requirements(table(poetry, "dev-dependencies")))
    for group in table(poetry, "group"):
        found += _poetry_requirements(table(poetry, "group", group, "dependencies"))
    return tuple(found)


def _poetry_requirements(wanted: Mapping[str, object]) -> Iterator[str]:
    for name, value in wanted.items():
        version = value.get("version") if isinstance(value, Mapping) else value
        if name == "python" or (isinstance(value, Mapping) and {"git", "path", "url"} & set(value)):
            continue
        extras = strings(value.get("extras")) if isinstance(value, Mapping) else []
        bracket = f"[{','.join(extras)}]" if extras else ""
        yield f"{name}{bracket}{pep440(version) if isinstance(version, str) else ''}"


def pep440(version: str) -> str:
    """Return a Poetry version range as PEP 440 (``^1.2`` -> ``>=1.2,<2``, ``~1.2`` -> ``>=1.2,<1.3``)."""
    return ",".join(part for piece in version.split(",") if (part := _pep440_part(piece.strip())))


def _pep440_part(part: str) -> str:
    if part in {"", "*"}:
        return ""
    if part[0].isdigit():
        return f"=={part}"
    match = re.match(r"^([\^~])\s*v?(\d+(?:\.\d+)*)", part)
    if match is None or part.startswith("~="):
        return part
    numbers = [int(number) for number in match[2].split(".")]
    if match[1] == "^":
        place = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    else:
        place = min(1, len(numbers) - 1)
    upper = [*numbers[:place], numbers[place] + 1]
    return f">={match[2]},<{'.'.join(map(str, upper))}"


def _pdm_development(document: Mapping[str, object]) -> tuple[str, ...]:
    groups = table(document, "tool", "pdm", "dev-dependencies")
    return tuple(item for group in groups.values() for item in strings(group) if not item.startswith("-e"))


def _pipfile(document: Mapping[str, object], section: str) -> tuple[str, ...]:
    found = []
    for name, value in table(document, section).items():
        version = value.get("version", "*") if isinstance(value, Mapping) else value
        if not isinstance(value, Mapping) or not {"git", "path", "file"} & set(value):
            found.append(f"{name}{'' if version == '*' else version}")
    return tuple(found)


def _locked(snapshot: Snapshot) -> tuple[str, ...]:
    """Return ``name==version`` for what the lock file pins to exactly one version."""
    pins: dict[str, set[str]] = {}
    for lock in ("poetry.lock", "pdm.lock"):
        packages = toml(snapshot.text(lock)).get("package")
        for one in packages if isinstance(packages, list) else ():
            if (
                isinstance(one, Mapping)
                and isinstance(one.get("version"), str)
                and not table(one, "source").get("url")
            ):
                pins.setdefault(str(one.get("name")), set()).add(str(one["version"]))
    for name, pin in _pipfile_pins(snapshot.text("Pipfile.lock")):
        pins.setdefault(name, set()).add(pin)
    return tuple(
        f"{name}=={next(iter(versions))}" for name, versions in sorted(pins.items()) if len(versions) == 1
    )


def _pipfile_pins(text: str) -> Iterator[tuple[str, str]]:
    try:
        document = json.loads(text or "{}")
    except ValueError:
        return
    for section in ("default", "develop"):
        for name, value in table(document, section).items():
            version = value.get("version", "") if isinstance(value, Mapping) else ""
            if version.startswith("=="):
                yield name, version.removeprefix("==")


def _scm_version(snapshot: Snapshot) -> str:
    """Return the version to pretend when the project reads it from git, which is not there."""
    if not any(SCM.search(snapshot.text(name)) for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        return ""
    if match := re.search(r"^Version: (\S+)$", snapshot.text("PKG-INFO"), re.MULTILINE):
        return match[1]
    for path in sorted(snapshot.texts):
        if CHANGELOGS.match(path) and (match := VERSION.search(snapshot.text(path))):
            return match[1]
    return "1.0.0"
