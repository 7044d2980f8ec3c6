"""The four tools as a model calls them: arguments are checked, answers bounded, mistakes answered with advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.domain.conversation import ToolDescription
from agent.reading.errors import CallError
from agent.reading.files import MOST_LINES, read_file
from agent.reading.searching import search
from agent.reading.symbols import find_definition, find_references

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.conversation import ToolCall
    from agent.reading.tree import ReadableTree


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchArguments(_Arguments):
    """Of ``search_string``."""

    text: str = Field(description="what a line must hold")
    regex: bool = Field(default=False, description="whether `text` is a regular expression")
    ignore_case: bool = False
    path: str = Field(default="", description="a file, a folder or a glob such as `src/*.py`; empty for all")


class SymbolArguments(_Arguments):
    """Of ``find_definition`` and ``find_references``."""

    name: str = Field(description="a name, plain or qualified: `render`, `Template.render`")
    path: str = Field(default="", description="a file, a folder or a glob; empty for all")


class FileArguments(_Arguments):
    """Of ``read_file``."""

    path: str
    start_line: int = 1
    end_line: int | None = None


_ARGUMENTS: Final[Mapping[str, tuple[type[_Arguments], str]]] = {
    "search_string": (SearchArguments, "Find lines that hold a text or match a regular expression."),
    "find_definition": (SymbolArguments, "Show the definitions of a function, method or class."),
    "find_references": (SymbolArguments, "List the lines that use a name, without its definitions."),
    "read_file": (FileArguments, f"Show lines of a file with their numbers, at most {MOST_LINES} at once."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTools:
    """A ``Toolbox`` over a tree; it reads and never writes or runs anything."""

    tree: ReadableTree

    @property
    def descriptions(self) -> Sequence[ToolDescription]:
        """Return what the model is told of the four tools."""
        return [
            ToolDescription(name=name, description=description, parameters=shape.model_json_schema())
            for name, (shape, description) in _ARGUMENTS.items()
        ]

    def use(self, call: ToolCall) -> str:
        """Return what a call gives; a call that cannot be served is answered with what to do."""
        if call.name not in _ARGUMENTS:
            return f"There is no such tool. There are {', '.join(_ARGUMENTS)}."
        try:
            return self._answer(call.name, _ARGUMENTS[call.name][0].model_validate(dict(call.arguments)))
        except ValidationError as error:
            return f"The arguments of {call.name} do not fit: {_wrong(error)}."
        except CallError as error:
            return str(error)

    def _answer(self, name: str, given: _Arguments) -> str:
        match given:
            case SearchArguments():
                return search(
                    self.tree,
                    given.text,
                    is_regex=given.regex,
                    ignore_case=given.ignore_case,
                    path=given.path,
                )
            case SymbolArguments():
                find = find_definition if name == "find_definition" else find_references
                return find(self.tree, given.name, given.path)
            case FileArguments():
                return read_file(self.tree, given.path, given.start_line, given.end_line)
            case _:
                raise AssertionError(f"no tool takes {type(given).__name__}")


def _wrong(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in one['loc']) or 'arguments'}: {one['msg']}" for one in error.errors()
    )
