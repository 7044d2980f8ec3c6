"""YAML front matter above a Markdown text."""

from __future__ import annotations

import re

import yaml

from agent.errors import ReportError

_FRONT = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_MAXIMUM = 20_000


def split_front_matter(text: str, name: str) -> tuple[dict[str, object], str]:
    """Return the front matter's mapping and the text below it."""
    match = _FRONT.match(text)
    if match is None or len(match.group(1)) > _MAXIMUM:
        return {}, text
    try:
        matter = yaml.load(match.group(1), Loader=_NoAliasLoader)  # noqa: S506 (a SafeLoader without aliases)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 2}" if mark else ""
        raise ReportError(f"the front matter of {name} is not valid YAML{where}.") from None
    except (ValueError, OverflowError):  # YAML's own dates and numbers, such as 2020-13-45
        raise ReportError(f"the front matter of {name} holds a date or number that is none.") from None
    except RecursionError:
        raise ReportError(f"the front matter of {name} is nested too deeply.") from None
    if matter is None:
        return {}, text[match.end() :]
    if not isinstance(matter, dict):
        # A text may begin with a thematic break: then there is no front matter.
        return {}, text
    return {str(key): value for key, value in matter.items()}, text[match.end() :]


class _NoAliasLoader(yaml.SafeLoader):
    """Safe loading without aliases: a few lines of aliases can expand to gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)  # type: ignore[arg-type]
