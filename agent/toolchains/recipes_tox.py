"""What tox environments stand for. Pure: the files are parsed, never run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent.toolchains.documents import ini, strings, table, toml
from agent.toolchains.recipes import Body
from agent.toolchains.shell import plain

if TYPE_CHECKING:
    import configparser

    from agent.toolchains.shell import Command
    from agent.toolchains.snapshot import Snapshot

NOT_TESTS = re.compile(
    r"lint|doc|style|typ|mypy|flake|black|isort|package|release|safety|report|pre-commit|manifest"
)
TESTS = re.compile(r"py\d|py-|tests?|unit")
POSARGS = re.compile(r"\{posargs(?::([^{}]*))?\}|\{args(?::([^{}]*))?\}|\{\[.*?\]\w+\}")


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
    for origin, native in (
        ("tox.toml", toml(snapshot.text("tox.toml"))),
        ("pyproject.toml", table(document, "tool", "tox")),
    ):
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
    lines = [f"pip install {quoted_requirement(dep)}" for dep in deps]
    lines += [f"pip install .[{','.join(extras)}]"] if extras else []
    return "\n".join(
        without_placeholders(line) for line in [*lines, *value("commands_pre"), *value("commands")]
    )


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
            not re.match(r"^(py|report|cov)", match[1])
            if not factors - {""}
            else factors & set(re.split(r"[,-]", match[1]))
        ):
            found.append(match[2].strip())
    return [line for line in found if line and not line.startswith("#")]


def _toml_env(native: Mapping[str, object], name: str) -> str:
    own = table(native, "env", name)
    base = table(native, "env_run_base")

    def value(key: str) -> object:
        return own.get(key, base.get(key))

    lines = [f"pip install {quoted_requirement(dep)}" for dep in strings(value("deps"))]
    extras = strings(value("extras"))
    lines += [f"pip install .[{','.join(extras)}]"] if extras else []
    lines += [f"pip install --group {group}" for group in strings(value("dependency_groups"))]
    commands = value("commands")
    for argv in commands if isinstance(commands, list) else ():
        lines.append(" ".join(_word(part) for part in argv) if isinstance(argv, list) else str(argv))
    return "\n".join(without_placeholders(line) for line in lines)


def _word(part: object) -> str:
    if isinstance(part, Mapping):
        return " ".join(strings(part.get("default"))) if part.get("replace") == "posargs" else ""
    return str(part)


def quoted_requirement(requirement: str) -> str:
    """Write a requirement as one shell word; options such as ``-r file`` stay as they are."""
    return requirement if requirement.startswith("-") else f"'{requirement.replace(chr(39), chr(34))}'"


def without_placeholders(line: str) -> str:
    """Return a line of tox or hatch with their placeholders filled in as they are inside the sandbox."""
    line = POSARGS.sub(lambda match: match[1] or match[2] or "", line)
    line = re.sub(r"\{toxinidir\}/?|\{tox_root\}/?|\{root\}/?", "", line)
    line = re.sub(r"\{(?:envpython|env_python)\}", "python", line)
    line = re.sub(r"\{(?:envtmpdir|env_tmp_dir|envdir|work_dir|toxworkdir)\}", "/tmp/tox", line)  # noqa: S108 (inside the sandbox)
    return re.sub(r"\{env:\w+(?::([^{}]*))?\}|\{\w+\}", lambda match: match[1] or "", line)
