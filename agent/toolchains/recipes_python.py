"""What nox and hatch environments stand for. Pure: their files are parsed, never run."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from agent.toolchains.documents import strings, table, toml
from agent.toolchains.recipes import Body
from agent.toolchains.recipes_tox import quoted_requirement, without_placeholders
from agent.toolchains.shell import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.toolchains.shell import Command
    from agent.toolchains.snapshot import Snapshot


def nox(command: Command, _folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand ``nox -s NAME -- ARGS`` to the installs and runs of the session."""
    rest = [plain(word) for word in command.words]
    if rest[:3] == ["python", "-m", "nox"]:
        rest = rest[2:]
    if rest[:1] != ["nox"]:
        return None
    wanted = next((rest[i + 1] for i, word in enumerate(rest[:-1]) if word in {"-s", "--session", "-e"}), "")
    posargs = rest[rest.index("--") + 1 :] if "--" in rest else []
    found = nox_sessions(snapshot.text("noxfile.py"))
    plain_name = re.split(r"[-(]\d", wanted)[0]
    for name, lines in sorted(found.items(), key=lambda item: item[0] != plain_name):
        if name == plain_name or (not wanted and "test" in name):
            return [Body(text="\n".join(_with_posargs(lines, posargs)), origin="noxfile.py")]
    return []


def _with_posargs(lines: list[str], posargs: list[str]) -> list[str]:
    return [line.replace("\0", " ".join(posargs)) for line in lines]


def nox_sessions(text: str) -> dict[str, list[str]]:
    """Return session name -> shell lines; a starred argument becomes a NUL to be filled with posargs."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and any(
            "session" in ast.dump(one) for one in node.decorator_list
        ):
            calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
            found[node.name] = [line for call in calls if (line := _session_call(call))]
    return found


def _session_call(call: ast.Call) -> str:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"install", "run"}:
        return ""
    words = []
    for argument in call.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            words.append(argument.value)
        elif isinstance(argument, ast.Starred):
            words.append("\0")
    line = " ".join(f"'{word}'" if re.search(r"[\s;<>\[]", word) else word for word in words)
    return f"pip install {line}" if call.func.attr == "install" else line


def hatch(command: Command, _folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand ``hatch run NAME`` to the dependencies and script of its environment."""
    rest = [plain(word) for word in command.words]
    if rest[:1] != ["hatch"] or rest[1:2] not in (["run"], ["test"]):
        return None
    arguments = [word for word in rest[2:] if not word.startswith("-")]
    environment, _, name = (arguments[0] if arguments else "").rpartition(":")
    if rest[1] == "test":
        environment, name = "hatch-test", "run"
    document = toml(snapshot.text("pyproject.toml")) or {}
    envs = table(document, "tool", "hatch", "envs") or table(toml(snapshot.text("hatch.toml")), "envs")
    own = table(envs, environment or "default")
    scripts = {**table(envs, "default", "scripts"), **table(own, "scripts")}
    if name not in scripts:
        return [Body(text="pytest", origin="pyproject.toml")] if rest[1] == "test" else None
    wants = [*strings(table(envs, "default").get("dependencies")), *strings(own.get("dependencies"))]
    wants += strings(own.get("extra-dependencies"))
    features = strings(own.get("features"))
    lines = [f"pip install {quoted_requirement(want)}" for want in dict.fromkeys(wants)]
    lines += [f"pip install .[{','.join(features)}]"] if features else []
    lines += [without_placeholders(line) for line in _scripts(name, scripts, 0)]
    return [Body(text="\n".join(lines), origin="pyproject.toml")]


def _scripts(name: str, scripts: Mapping[str, object], depth: int) -> list[str]:
    if name not in scripts or depth > 5:  # noqa: PLR2004 (deeper nesting is a cycle)
        return [name]
    lines = []
    for line in strings(scripts[name]):
        head, _, tail = line.removeprefix("- ").partition(" ")
        inner = _scripts(head, scripts, depth + 1)
        lines += [f"{text} {tail}".strip() for text in inner]
    return lines
