"""Parse one command line: the only place where the words of a command are read.

A refusal is a value: the one line a person is shown. It repeats their words only when they are harmless.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.run import Depth
from agent.untrusted import clean
from handlers.commands.command import Invocation, Takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handlers.commands.command import Command
    from handlers.commands.lines import CommandLine

MAXIMUM_BRANCHES = 10

_HARMLESS = re.compile(r"^[A-Za-z0-9._/=-]{1,40}$")
_MODEL = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$")
_BRANCH = re.compile(r"^(?![-/.])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)))[A-Za-z0-9._/@+-]{1,200}(?<![/.])$")
_DASHES = re.compile(r"^[\u2012-\u2015]{1,2}(?=[a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a line is not understood, in one sentence."""

    reason: str


def split_name(line: CommandLine) -> tuple[str, str]:
    """Return the command's name and what follows it; bare options belong to the command without a name."""
    name, *rest = line.rest.split(maxsplit=1) or [""]
    if _is_option(name):
        return "", line.rest
    return name.lower(), "".join(rest)


def parse(command: Command, rest: str, below: str, models: Sequence[str] | None) -> Invocation | Refusal:
    """Return the invocation of ``command``, or why its words are refused."""
    if command.takes is Takes.TEXT:
        text = clean(f"{rest}\n{below}").text.strip()
        return Invocation(text=text) if text else Refusal(reason=f"Say what to change: {command.usage}.")
    options: dict[str, str] = {}
    words: list[str] = []
    pending = [_DASHES.sub("--", word) for word in rest.split()]
    while pending:
        word = pending.pop(0)
        if not _is_option(word):
            words.append(word)
            continue
        name, has_value, value = word.removeprefix("--").partition("=")
        if name not in command.options:
            return Refusal(reason=f"{_shown(word)} is no option here; {_usage(command)}.")
        if not has_value:
            value = pending.pop(0) if pending else ""
        if name in options:
            return Refusal(reason=f"`--{name}` is given twice.")
        options[name] = value
    return (
        _check_options(options, models)
        or _check_words(command, words)
        or Invocation(options=options, words=tuple(words))
    )


def unknown(name: str) -> Refusal:
    """Return the refusal of a name that is no command."""
    return Refusal(reason=f"{_shown(name)} is no command; `/patch help` lists them.")


def _is_option(word: str) -> bool:
    return word.startswith("--") or _DASHES.match(word) is not None


def _check_options(options: dict[str, str], models: Sequence[str] | None) -> Refusal | None:
    depth, model = options.get("depth"), options.get("model")
    if depth is not None and depth not in list(Depth):
        return Refusal(reason=f"`--depth` is one of {', '.join(f'`{name}`' for name in Depth)}.")
    if model is not None and not _MODEL.match(model):
        return Refusal(reason="`--model` needs the name of a model.")
    if model is None or models is None or model in models:
        return None
    choice = f"choose {_listed(models)}" if models else "no model can be chosen"
    return Refusal(reason=f"{_shown(model)} is not allowed here; {choice}.")


def _check_words(command: Command, words: list[str]) -> Refusal | None:
    if command.takes is Takes.NOTHING:
        return Refusal(reason=f"{_shown(words[0])} is too much; {_usage(command)}.") if words else None
    if not words or len(words) > MAXIMUM_BRANCHES:
        return Refusal(reason=f"Name one to {MAXIMUM_BRANCHES} branches; {_usage(command)}.")
    wrong = next((word for word in words if not _BRANCH.match(word)), None)
    return Refusal(reason=f"{_shown(wrong)} is no branch name.") if wrong else None


def _usage(command: Command) -> str:
    return f"the command is {command.usage}"


def _shown(word: str) -> str:
    return f"`{word}`" if _HARMLESS.match(word) else "That"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:MAXIMUM_BRANCHES])
