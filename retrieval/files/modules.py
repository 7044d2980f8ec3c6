"""Dotted names and script paths resolved to files, through what packages import and offer again. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DEEPEST = 5
_ROOTS = ("src", "lib", "python")


def module_name(path: str) -> str:
    """Return the dotted name under which a file is imported: ``src/a/b/__init__.py`` -> ``a.b``."""
    parts = path.rpartition(".")[0].split("/")
    if len(parts) > 1 and parts[0] in _ROOTS:
        parts = parts[1:]
    if parts[-1] in {"__init__", "index"}:
        parts = parts[:-1]
    return ".".join(parts)


class Modules:
    """The modules of a tree: ``names[i]`` are the definitions of file ``i``, ``imports[i]`` what it imports."""

    def __init__(
        self, paths: Sequence[str], names: Sequence[Mapping[str, object]], imports: Sequence[Sequence[str]]
    ) -> None:
        self._paths = paths
        self._names = names
        self._imports = imports
        self._modules = {module_name(path): at for at, path in reversed(list(enumerate(paths)))}

    def resolve(self, dotted: str) -> tuple[int, bool] | None:
        """Return the file that defines ``dotted`` and True, or the deepest module on the way and False."""
        return self._resolve(dotted, 0)

    def _resolve(self, dotted: str, depth: int) -> tuple[int, bool] | None:
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            at = self._modules.get(".".join(parts[:length]))
            if at is not None:
                return self._inside(at, parts[length:], depth)
        return None

    def _inside(self, at: int, rest: Sequence[str], depth: int) -> tuple[int, bool]:
        if not rest:
            return at, not self._paths[at].endswith("__init__.py")
        if rest[0] in self._names[at]:
            return at, True
        if depth < _DEEPEST:
            for origin in self._offers(at, rest[0]):
                found = self._resolve(".".join((origin, *rest[1:])), depth + 1)
                if found is not None and found[0] != at and found[1]:
                    return found
        return at, False

    def _offers(self, at: int, name: str) -> list[str]:
        """Return where file ``at`` may have ``name`` from: an import of that name, or of everything."""
        found = []
        for imported in self._imports[at]:
            origin, _, last = imported.rpartition(".")
            if last in {name, "*"}:
                found.append(f"{self._absolute(at, origin)}.{name}")
        return found

    def _absolute(self, at: int, origin: str) -> str:
        """Return a module name without leading dots, seen from file ``at``."""
        if not origin.startswith("."):
            return origin
        up = len(origin) - len(origin.lstrip("."))
        own = module_name(self._paths[at]).split(".")
        package = own if self._paths[at].endswith("__init__.py") else own[:-1]
        base = package[: len(package) - up + 1]
        rest = origin.lstrip(".")
        return ".".join((*base, rest)) if rest else ".".join(base)

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Return the pairs of files of which the first imports the second."""
        found: set[tuple[int, int]] = set()
        for at, imported in enumerate(self._imports):
            for name in imported:
                target = self._target(at, name)
                if target is not None and target != at:
                    found.add((at, target))
        return sorted(found)

    def _target(self, at: int, name: str) -> int | None:
        if name.startswith(("./", "../")):
            return self._script(at, name)
        parts = self._absolute(at, name).split(".")
        for length in range(len(parts), max(0, len(parts) - 2), -1):
            target = self._modules.get(".".join(parts[:length]))
            if target is not None:
                return target
        return None

    def _script(self, at: int, name: str) -> int | None:
        folder = self._paths[at].split("/")[:-1]
        for part in name.split("/"):
            if part == "..":
                folder = folder[:-1]
            elif part != ".":
                folder = [*folder, part]
        joined = "/".join(folder)
        known = (self._modules.get(module_name(one)) for one in (f"{joined}.js", joined))
        return next((target for target in known if target is not None), None)
