"""The ways to install a Python project, from its own words to the leanest that can work. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.toolchains.python_interpreter import order

if TYPE_CHECKING:
    from agent.domain.project import BuildConfig
    from agent.toolchains.python_interpreter import Interpreter
    from agent.toolchains.python_manifests import PythonFacts
    from agent.toolchains.python_requirements import Wanted

VENV = "/env/venv"
PINS = "/tmp/locked.txt"  # noqa: S108 (inside the sandbox)
# what is not installed is found before any release of itself that a dependency brought along
FIND_TREE = (
    "echo \"import sys; sys.path[0:0] = ['/work', '/work/src']\" > "
    "$(python -c \"import sysconfig; print(sysconfig.get_path('purelib'))\")/suture_tree.pth"
)
# from this one on a new environment has no setuptools, and projects know it
BARE_FROM = (3, 12)
# newer ones no longer bring pkg_resources, which old projects import
SETUPTOOLS = "'setuptools<81' wheel"
BACKENDS = ("setuptools", "wheel", "hatchling", "flit-core", "poetry-core", "pdm-backend")


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonInstall:
    """All that decides the install lines; ``runner`` are packages of the test runner nobody asked for.

    ``limit`` is the day up to which packages may be taken, empty for none.
    """

    known: PythonFacts
    wanted: Wanted
    runner: tuple[str, ...]
    limit: str
    interpreter: Interpreter

    @property
    def _aged(self) -> str:
        # tools that build packages are taken from today: they must know this interpreter
        free = "".join(f" --exclude-newer-package {name}=false" for name in BACKENDS)
        return f" --exclude-newer {self.limit}{free}" if self.limit else ""

    def ways(self, config: BuildConfig) -> tuple[tuple[str, ...], ...]:
        """Return the sets of install lines in the order to try them."""
        more = (f"uv pip install {_quoted(config.packages)}",) if config.packages else ()
        if config.install:
            return ((*self._start(seed=True), *config.install, *more, FIND_TREE),)
        found = [
            self._synced() if self.known.has_uv_lock else (),
            self._asked(self._aged),
            self._asked(""),
            self._lean(),
            self._unbuilt(),
        ]
        return tuple(dict.fromkeys((*way, *more) for way in found if way))

    def _start(self, *, seed: bool = False) -> tuple[str, ...]:
        program = shlex.quote(self.interpreter.path)
        lines = (f"uv venv {'--seed ' if seed else ''}--python {program} {VENV}",)
        if order(self.interpreter.version) >= BARE_FROM:
            return lines
        return (*lines, f"UV_COMPILE_BYTECODE=0 uv pip install {SETUPTOOLS}")

    def _synced(self) -> tuple[str, ...]:
        """Take the lock file of uv as it is."""
        extras = "".join(f" --extra {shlex.quote(name)}" for name in self.wanted.extras)
        groups = "".join(f" --group {shlex.quote(name)}" for name in self.wanted.groups)
        runner = (f"uv pip install {' '.join(self.runner)}",) if self.runner else ()
        return (*self._start()[:1], f"uv sync --frozen{extras}{groups}", *runner)

    def _asked(self, aged: str) -> tuple[str, ...]:
        """Take everything that is asked for in one resolution, bound by a lock file where there is one."""
        pins = (f"printf '%s\\n' {_quoted(self.known.locked)} > {PINS}",) if self.known.locked else ()
        bound = f" -c {PINS}" if self.known.locked else ""
        words = " ".join([*self._project(), *self._groups(), *self.wanted.arguments, *self.runner])
        install = (f"uv pip install{aged} {words}{bound}",) if words else ()
        return (*self._start(), *pins, *install, *self._found())

    def _lean(self) -> tuple[str, ...]:
        """Install the project and the runner; whatever else is asked for may fail on its own."""
        words = " ".join([*self._project(), *self.runner])
        first = (f"uv pip install{self._aged} {words}",) if words else ()
        return (*self._start(), *first, *self._optional(), *self._again(), *self._found())

    def _unbuilt(self) -> tuple[str, ...]:
        """Build the project without isolation, or not at all: then it is found where it lies."""
        install = f"uv pip install{self._aged}"
        alone = "echo 'the project itself is not installed; it is found where it lies'"
        lines = [f"{install} --no-build-isolation -e . || {install} -r setup.py || {alone}"]
        runner = [f"uv pip install{self._aged} {' '.join(self.runner)}"] if self.runner else []
        built = lines if self.known.installable else []
        return (*self._start(), *built, *runner, *self._optional(), FIND_TREE)

    def _again(self) -> tuple[str, ...]:
        """Put the project back where a requirement file brought a release of it: its documentation may need one."""
        words = " ".join(self._project())
        return (f"uv pip install{self._aged} --no-deps {words}",) if words and self._optional() else ()

    def _found(self) -> tuple[str, ...]:
        return () if self.known.installable else (FIND_TREE,)

    def _project(self) -> list[str]:
        extras = f"[{','.join(self.wanted.extras)}]" if self.wanted.extras else ""
        return [f"-e {shlex.quote('.' + extras)}"] if self.known.installable else []

    def _groups(self) -> list[str]:
        return [f"--group {shlex.quote(name)}" for name in self.wanted.groups if name in self.known.groups]

    def _optional(self) -> list[str]:
        return [
            f"uv pip install{self._aged} {argument} || echo 'left out: {argument.replace(chr(39), '')}'"
            for argument in (*self._groups(), *self.wanted.arguments)
            if not argument.startswith("-c ")
        ]


def _quoted(words: tuple[str, ...]) -> str:
    return " ".join(shlex.quote(word) for word in words)
