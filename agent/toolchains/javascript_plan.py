"""The plan of a JavaScript or TypeScript project: manager, ways to install, test line. Pure."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from agent.domain.project import BuildConfig, ProjectPlan
from agent.toolchains.choice import CONFIGURED
from agent.toolchains.javascript_tests import built_line, chosen_tests, test_line
from agent.toolchains.recipes_javascript import manifest

if TYPE_CHECKING:
    from datetime import date

    from agent.toolchains.choice import TestChoice
    from agent.toolchains.snapshot import Snapshot

FORMAT = "javascript-1"
TOOLS = "/env/tools"
LOCKS = (
    ("pnpm", "pnpm-lock.yaml"),
    ("yarn", "yarn.lock"),
    ("npm", "package-lock.json"),
    ("npm", "npm-shrinkwrap.json"),
)
DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
UNBOUND = frozenset({"", "*", "latest", "x", ">=0", ">=0.0.0"})
# the last release of a runner that a project of the year can use and that still runs on a current Node
OF_ITS_TIME = {
    "ava": ((2019, "2.4.0"), (2021, "3.15.0"), (2023, "5.3.1")),
    "mocha": ((2015, "3.5.3"), (2019, "7.2.0"), (2022, "9.2.2"), (2024, "10.8.2")),
    "jest": ((2018, "23.6.0"), (2020, "26.6.3"), (2022, "28.1.3"), (2024, "29.7.0")),
    "tap": ((2018, "12.7.0"), (2021, "15.2.3"), (2023, "16.3.10")),
    "tape": ((2019, "4.17.0"),),
    "vitest": ((2023, "0.34.6"), (2024, "1.6.1")),
    "chai": ((2023, "4.5.0"),),
}
# what old runners loaded by themselves on the Node of their time
COMPANIONS = {"ava@2.4.0": ("esm@3.2.25",)}
NO_SCRIPTS = "--ignore-scripts"
QUIET = "--no-audit --no-fund --loglevel=error"


def plan(snapshot: Snapshot, config: BuildConfig, *, node: str, platform: str) -> ProjectPlan | None:
    """Return how to install and test the project, None without manifest and script at the root."""
    snapshot = replace(snapshot, newest=config.committed or snapshot.newest)
    package = manifest(snapshot)
    if not package and not any(re.fullmatch(r"[^/]+\.[cm]?[jt]sx?", path) for path in snapshot.paths):
        return None
    choice = chosen_tests(config.test, snapshot, package, version=node.split(".", maxsplit=1)[0])
    manager = _manager(snapshot, package)
    lines = attempts(package, snapshot, config, manager, choice)
    build = config.build or built_line(snapshot, package, choice)
    asked = f"{CONFIGURED} asks Node {config.node}: " if config.node else ""
    return ProjectPlan(
        language="javascript",
        manager=manager,
        runner=choice.step.runner if choice else "",
        install=lines[0],
        fallbacks=lines[1:],
        build=build,
        test=test_line(choice, config.test) if choice else "",
        digest=_digest(lines, snapshot, f"{node} {platform}"),
        env={"SUTURE_PACKAGE": str(package.get("name") or "")},
        interpreter="node",
        origins={
            "manager": "package.json" if package else "convention",
            "install": CONFIGURED if config.install else _lock(snapshot) or "package.json",
            "test": choice.origin if choice else "none found",
            "runner": choice.origin if choice else "none found",
            "build": CONFIGURED if config.build else "package.json" if build else "none",
            "interpreter": f"{asked}Node {node} of this machine",
        },
    )


def _manager(snapshot: Snapshot, package: Mapping[str, object]) -> str:
    named = str(package.get("packageManager") or "").partition("@")[0]
    if named in {"npm", "yarn", "pnpm"}:
        return named
    return next((name for name, lock in LOCKS if lock in snapshot.texts), "npm")


def _lock(snapshot: Snapshot) -> str:
    return next((lock for _name, lock in LOCKS if lock in snapshot.texts), "")


def attempts(
    package: Mapping[str, object],
    snapshot: Snapshot,
    config: BuildConfig,
    manager: str,
    choice: TestChoice | None,
) -> tuple[tuple[str, ...], ...]:
    """Return the install lines and their fallbacks.

    Install scripts do not run in the first ways: they are the registry's most abused door, and tests rarely
    need them. The last way runs them, for packages that compile or unpack something.
    """
    more = _added(config.packages)
    if config.install:
        return ((*config.install, *more),)
    extra = _missing_runner(package, snapshot, choice)
    wanted = (
        [f"npm install {NO_SCRIPTS} --no-save --legacy-peer-deps {QUIET} {' '.join(extra)}"] if extra else []
    )
    tail = (*wanted, *more)
    ways: list[tuple[str, ...]] = []
    if manager == "npm" and _lock(snapshot):
        ways.append((f"npm ci {NO_SCRIPTS} {QUIET}", *tail))
    if manager == "yarn":
        ways += [(*lines, *tail) for lines in _yarn(snapshot, package)]
    if manager == "pnpm":
        ways += [(*lines, *tail) for lines in _pnpm(snapshot, package)]
    plain = f"npm install --no-package-lock --legacy-peer-deps {QUIET}"
    bound = _bound(package, snapshot)
    style = _style_checkers(package)
    ways.append((*bound, f"{plain} {NO_SCRIPTS}", *tail))
    if style:
        ways.append((*bound, f"npm pkg delete {' '.join(style)}", f"{plain} {NO_SCRIPTS}", *tail))
    else:
        ways.append((*bound, f"{plain} {NO_SCRIPTS} --omit=dev", *tail))
    ways.append((*bound, f"{plain} --foreground-scripts", *tail))
    return tuple(dict.fromkeys(ways))


def _added(packages: tuple[str, ...]) -> tuple[str, ...]:
    if not packages:
        return ()
    names = " ".join(shlex.quote(one) for one in packages)
    return (f"npm install {NO_SCRIPTS} --no-save --legacy-peer-deps {QUIET} {names}",)


def _dependencies(package: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """Return name -> (section, range)."""
    found: dict[str, tuple[str, str]] = {}
    for section in DEPENDENCIES:
        table = package.get(section)
        for name, wanted in table.items() if isinstance(table, Mapping) else ():
            found.setdefault(str(name), (section, str(wanted)))
    return found


def _of_its_time(name: str, newest: date | None) -> str:
    if newest is None:
        return name
    version = next((pin for year, pin in OF_ITS_TIME.get(name, ()) if newest.year <= year), "")
    return f"{name}@{version}" if version else name


def _missing_runner(
    package: Mapping[str, object], snapshot: Snapshot, choice: TestChoice | None
) -> list[str]:
    """Return the runner that no manifest asks for (a release archive without its development part)."""
    runner = choice.step.command.name if choice else ""
    known = _dependencies(package)
    if (
        runner not in OF_ITS_TIME | {"vows": (), "jasmine": ()}
        or runner in known
        or package.get("name") == runner
    ):
        return []
    wanted = _of_its_time(runner, snapshot.newest)
    return [wanted, *COMPANIONS.get(wanted, ())]


def _bound(package: Mapping[str, object], snapshot: Snapshot) -> tuple[str, ...]:
    """Return lines that give a range without bounds (``*``) the release of the project's time, if known."""
    if _lock(snapshot):
        return ()
    lines: list[str] = []
    for name, (section, wanted) in _dependencies(package).items():
        pinned = _of_its_time(name, snapshot.newest)
        if wanted.strip() in UNBOUND and pinned != name:
            version = pinned.rpartition("@")[2]
            lines.append(f"npm pkg set {shlex.quote(f'{section}.{name}={version}')}")
            lines += [
                f"npm pkg set {shlex.quote('devDependencies.' + more.replace('@', '='))}"
                for more in COMPANIONS.get(pinned, ())
            ]
    return tuple(lines)


def _style_checkers(package: Mapping[str, object]) -> list[str]:
    """Return the paths of development packages that only check style or build pages."""
    pattern = re.compile(
        r"eslint|prettier|^xo$|husky|lint-staged|coveralls|^docs|typedoc|benchmark|size-limit|release"
    )
    return [
        shlex.quote(f"{section}[{name}]" if "." in name else f"{section}.{name}")
        for name, (section, _wanted) in _dependencies(package).items()
        if section == "devDependencies" and pattern.search(name)
    ]


def _version_of(package: Mapping[str, object], fallback: str) -> str:
    match = re.match(r"^\w+@(\d+\.\d+\.\d+)", str(package.get("packageManager") or ""))
    return match[1] if match else fallback


def _tool(name: str, version: str) -> str:
    return f"npm install --prefix {TOOLS} {QUIET} {name}@{version}"


def _yarn(snapshot: Snapshot, package: Mapping[str, object]) -> list[tuple[str, ...]]:
    text = snapshot.text("yarn.lock")
    if "__metadata:" in text or not _version_of(package, "1").startswith("1"):
        # Plug'n'Play hides packages from scripts outside the tree, so a plain folder is asked for
        settings = (
            "export YARN_NODE_LINKER=node-modules YARN_ENABLE_SCRIPTS=false YARN_ENABLE_TELEMETRY=false"
        )
        version = _version_of(package, "4.5.3")
        return [
            (
                _tool("@yarnpkg/cli-dist", version),
                settings,
                f"{settings.split(' ', 1)[0]} YARN_ENABLE_IMMUTABLE_INSTALLS=false",
                "yarn install",
            )
        ]
    frozen = f"yarn install {NO_SCRIPTS} --non-interactive --ignore-engines"
    return [
        (_tool("yarn", "1.22.22"), f"{frozen} --frozen-lockfile"),
        (_tool("yarn", "1.22.22"), f"{frozen} --no-lockfile"),
    ]


def _pnpm(snapshot: Snapshot, package: Mapping[str, object]) -> list[tuple[str, ...]]:
    match = re.search(r"^lockfileVersion:\s*'?(\d+)", snapshot.text("pnpm-lock.yaml"), re.MULTILINE)
    version = _version_of(package, {"5": "7.33.7", "6": "8.15.9"}.get(match[1] if match else "", "9.15.9"))
    install = f"pnpm install {NO_SCRIPTS} --config.node-linker=hoisted --store-dir /cache/pnpm"
    return [
        (_tool("pnpm", version), f"{install} --frozen-lockfile"),
        (_tool("pnpm", version), f"{install} --no-frozen-lockfile"),
    ]


def _digest(lines: object, snapshot: Snapshot, machine: str) -> str:
    names = {"package.json", "pnpm-workspace.yaml", ".npmrc", *(lock for _name, lock in LOCKS)}
    manifests = sorted(
        (path, text) for path, text in snapshot.texts.items() if path.rpartition("/")[2] in names
    )
    return hashlib.sha256(repr((FORMAT, lines, manifests, machine)).encode()).hexdigest()[:32]
