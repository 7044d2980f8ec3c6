"""What npm, yarn and pnpm script names stand for. Pure."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from agent.toolchains.recipes import Body
from agent.toolchains.shell import pieces, plain

if TYPE_CHECKING:
    from agent.toolchains.shell import Command
    from agent.toolchains.snapshot import Snapshot

MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun"})
SERIES = frozenset({"npm-run-all", "run-s", "run-p", "npm-run-all2", "wireit"})
SHORT = {"t": "test", "tst": "test", "it": "test", "cit": "test", "install-test": "test"}
OWN_WORDS = frozenset(
    {"install", "ci", "i", "add", "exec", "dlx", "config", "rm", "link", "pack", "audit", "why"}
)


def manifest(snapshot: Snapshot, folder: str = "") -> Mapping[str, object]:
    """Return a folder's ``package.json``, empty when there is none or it is no JSON object."""
    try:
        found = json.loads(snapshot.text(posixpath.join(folder, "package.json")) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, Mapping) else {}


def scripts_of(snapshot: Snapshot, folder: str = "") -> dict[str, str]:
    """Return the named scripts of a folder's ``package.json``."""
    found = manifest(snapshot, folder).get("scripts")
    return {str(k): v for k, v in found.items() if isinstance(v, str)} if isinstance(found, Mapping) else {}


def package_script(command: Command, folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand ``npm test``, ``yarn NAME`` and the like; ``run-s a b`` to each."""
    rest = [plain(word) for word in command.words]
    if rest and rest[0] in SERIES:
        return _series([word for word in rest[1:] if not word.startswith("-")], folder, snapshot)
    if not rest or rest[0] not in MANAGERS:
        return None
    name, extra = _name(rest[1:])
    scripts = scripts_of(snapshot, folder)
    if name not in scripts:
        return None
    found = [_body(f"pre{name}", scripts, folder, "")] if f"pre{name}" in scripts else []
    return [*found, _body(name, scripts, folder, extra)]


def _name(rest: list[str]) -> tuple[str, str]:
    rest = [word for word in rest if word == "--" or not word.startswith("-")] if "--" not in rest else rest
    head = [word for word in rest[: rest.index("--")] if not word.startswith("-")] if "--" in rest else rest
    extra = " ".join(rest[rest.index("--") + 1 :]) if "--" in rest else ""
    if head[:1] in (["run"], ["run-script"]):
        head = head[1:]
    elif head and head[0] in OWN_WORDS:
        return "", ""
    return (SHORT.get(head[0], head[0]) if head else "", extra)


def _body(name: str, scripts: Mapping[str, str], folder: str, extra: str) -> Body:
    text = scripts[name]
    if extra and len(pieces(text)) == 1:
        text = f"{text} {extra}"
    return Body(text=text, origin=posixpath.join(folder, "package.json"), folder=folder)


def _series(names: list[str], folder: str, snapshot: Snapshot) -> list[Body]:
    scripts = scripts_of(snapshot, folder)
    chosen = [key for name in names for key in scripts if key == name or fnmatchcase(key, name)]
    return [_body(key, scripts, folder, "") for key in chosen]
