"""What tox, nox and hatch environments stand for. Pure: their files are parsed, never run."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent.toolchains.recipes import Body
from agent.toolchains.shell import plain

if TYPE_CHECKING:
    from agent.toolchains.shell import Command
    from agent.toolchains.snapshot import Snapshot

NOT_TESTS = re.compile(r"lint|doc|style|typ|mypy|flake|black|isort|package|release|safety|report|pre-commit|manifest")
TESTS = re.compile(r"py\d|py-|tests?|unit")
POSARGS = re.compile(r"\{posargs(?::([^{}]*))?\}|\{args(?::([^{}]*))?\}|\{\[.*?\]\w+\}")


def toml(text: str) -> dict[str, object]:
    """Return a TOML document, empty when it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def ini(text: str) -> configparser.ConfigParser:
    """Return an INI document, empty when it is none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",), allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return configparser.ConfigParser(interpolation=None)
    return parser


def table(document: object, *path: str) -> Mapping[str, object]:
    """Return a nested table, empty when a step of the path is missing or no table."""
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}


def strings(value: object) -> list[str]:
    """Return a list's strings, a string as one, anything else as none."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def tox(command: Command, _folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand ``tox`` to the installs and commands of one test environment."""
    rest = [plain(word) for word in command.words]
    if rest[:3] == ["python", "-m", "tox"]:
        rest = rest[2:]
    if rest[:1] != ["tox"]:
        return None
    wanted = next((rest[i + 1] for i, word in enumerate(rest[:-1]) if word in {"-e", "--env"}), "")
    return tox_bodies(wanted, snapshot)


def tox_bodies(wanted: str, snapshot: Snapshot) -> list[Body]:
    """Return what the tox environment ``wanted`` (a comma list; empty: any test one) installs and runs."""
    names = [name for name in wanted.split(",") if name and (TESTS.match(name) or not NOT_TESTS.search(name))]
    if wanted and not names:
        return []
    document = toml(snapshot.text("pyproject.toml"))
    legacy = table(document, "tool", "tox").get("legacy_tox_ini")
    sources = [("tox.ini", snapshot.text("tox.ini")), ("setup.cfg", snapshot.text("setup.cfg"))]
    for origin, text in [*sources, ("pyproject.toml", legacy if isinstance(legacy, str) else "")]:
        sections = ini(text)
        if any(name.startswith("testenv") for name in sections.sections()):
            return [Body(text=_ini_env(sections, names[0] if names else ""), origin=origin)]
    for origin, native in (("tox.toml", toml(snapshot.text("tox.toml"))), ("pyproject.toml", table(document, "tool", "tox"))):
        if native.get("env_run_base"):
            return [Body(text=_toml_env(native, names[0] if names else ""), origin=origin)]
    return []


def _ini_env(sections: configparser.ConfigParser, name: str) -> str:
    own = f"testenv:{name}"

    def value(key: str) -> list[str]:
        for section in (own, "testenv"):
            if sections.has_option(section, key):
                return _factored(_referred(sections.get(section, key) or "", sections), name)
        return []

    deps = [re.sub(r"^-([rc])\s*", r"-\1 ", line) for line in value("deps")]
    extras = [extra for line in value("extras") for extra in re.split(r"[,\s]+", line) if extra]
    lines = [f"pip install {_unquoted(dep)}" for dep in deps]
    lines += [f"pip install .[{','.join(extras)}]"] if extras else []
    return "\n".join(_filled(line) for line in [*lines, *value("commands_pre"), *value("commands")])


def _referred(text: str, sections: configparser.ConfigParser) -> str:
    def other(match: re.Match[str]) -> str:
        return sections.get(match[1], match[2], fallback="") or ""

    return re.sub(r"\{\[([\w:.-]+)\](\w+)\}", other, text)


def _factored(text: str, name: str) -> list[str]:
    """Keep the lines whose factor condition (``py311,crypto: …``) the environment's name meets.

    Without a name every plain factor is met, since more packages installed is better than fewer.
    """
    found = []
    factors = set(name.split("-"))
    for line in re.sub(r"\\\r?\n\s*", " ", text).splitlines():
        match = re.match(r"^\s*([!\w.{},-]+?)\s*:\s+(\S.*)$", line)
        if match is None:
            found.append(line.strip().lstrip("-@ ") if line.strip().startswith("- ") else line.strip())
        elif not match[1].startswith("!") and (
            not re.match(r"^(py|report|cov)", match[1]) if not factors - {""} else factors & set(re.split(r"[,-]", match[1]))
        ):
            found.append(match[2].strip())
    return [line for line in found if line and not line.startswith("#")]


def _toml_env(native: Mapping[str, object], name: str) -> str:
    own = table(native, "env", name)
    base = table(native, "env_run_base")

    def value(key: str) -> object:
        return own.get(key, base.get(key))

    lines = [f"pip install {_unquoted(dep)}" for dep in strings(value("deps"))]
    extras = strings(value("extras"))
    lines += [f"pip install .[{','.join(extras)}]"] if extras else []
    lines += [f"pip install --group {group}" for group in strings(value("dependency_groups"))]
    commands = value("commands")
    for argv in commands if isinstance(commands, list) else ():
        lines.append(" ".join(_word(part) for part in argv) if isinstance(argv, list) else str(argv))
    return "\n".join(_filled(line) for line in lines)


def _word(part: object) -> str:
    if isinstance(part, Mapping):
        return " ".join(strings(part.get("default"))) if part.get("replace") == "posargs" else ""
    return str(part)


def _unquoted(requirement: str) -> str:
    """Write a requirement as one shell word; options such as ``-r file`` stay as they are."""
    return requirement if requirement.startswith("-") else f"'{requirement.replace(chr(39), chr(34))}'"


def _filled(line: str) -> str:
    line = POSARGS.sub(lambda match: match[1] or match[2] or "", line)
    line = re.sub(r"\{toxinidir\}/?|\{tox_root\}/?|\{root\}/?", "", line)
    line = re.sub(r"\{(?:envpython|env_python)\}", "python", line)
    line = re.sub(r"\{(?:envtmpdir|env_tmp_dir|envdir|work_dir|toxworkdir)\}", "/tmp/tox", line)  # noqa: S108 (inside the sandbox)
    return re.sub(r"\{env:\w+(?::([^{}]*))?\}|\{\w+\}", lambda match: match[1] or "", line)


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
        if isinstance(node, ast.FunctionDef) and any("session" in ast.dump(one) for one in node.decorator_list):
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
    lines = [f"pip install {_unquoted(want)}" for want in dict.fromkeys(wants)]
    lines += [f"pip install .[{','.join(features)}]"] if features else []
    lines += [_filled(line) for line in _scripts(name, scripts, 0)]
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
