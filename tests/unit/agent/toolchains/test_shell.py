"""Shell lines are cut into commands without being changed."""

from __future__ import annotations

import pytest

from agent.toolchains.shell import Command, parse, pieces, plain, words


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("xo && ava", ("xo", "ava")),
        ("a || b; c | d & e", ("a", "b", "c", "d", "e")),
        ("one\ntwo \\\n  three", ("one", "two  three")),
        ("echo 'a && b' \"c; d\"", ("echo 'a && b' \"c; d\"",)),
        ("run # a remark && not run\nnext", ("run", "next")),
        ("run # the end", ("run",)),
        ("curl x#y", ("curl x#y",)),
        ("test 2>&1", ("test 2>&1",)),
        ("# only a remark", ()),
        ("", ()),
    ],
)
def test_a_script_is_cut_at_operators_outside_quotes(script: str, expected: tuple[str, ...]) -> None:
    assert pieces(script) == expected


def test_words_keep_their_quotes_and_placeholders() -> None:
    line = "pytest -k 'not slow' {posargs:tests and more} \"x y\"z"

    assert words(line) == ("pytest", "-k", "'not slow'", "{posargs:tests and more}", '"x y"z')


def test_plain_removes_quotes_and_leaves_what_does_not_close() -> None:
    assert (plain("'a b'"), plain("don't")) == ("a b", "don't")


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("coverage run --source x -p -m pytest -v", "python -m pytest -v"),
        ("python -b -m coverage run -m pytest", "python -m pytest"),
        ("{envpython} -m pytest", "python -m pytest"),
        ("python3.11 -m pytest", "python -m pytest"),
        ("nyc --reporter=lcov mocha test", "mocha test"),
        ("nyc --reporter lcov mocha test", "mocha test"),
        ("istanbul cover _mocha -- -R spec", "mocha -R spec"),
        ("c8 node --test", "node --test"),
        ("npx --no-install vows test/*.js", "vows test/*.js"),
        ("npx -p mocha@9 mocha", "mocha"),
        ("npx", "npx"),
        ("cross-env NODE_ENV=test jest", "NODE_ENV=test jest"),
        ("NODE_ENV=test ./node_modules/.bin/mocha", "NODE_ENV=test mocha"),
        ("node_modules/mocha/bin/_mocha a.js", "mocha a.js"),
        ("uv run --with x python -m pytest tests", "python -m pytest tests"),
        ("uv sync", "uv sync"),
        ("poetry run pytest", "pytest"),
        ("pnpm exec vitest run", "vitest run"),
        ("yarn exec jest", "jest"),
        ("py.test tests", "pytest tests"),
        ("py -m unittest", "python -m unittest"),
        ("sudo time pytest", "pytest"),
        ("A=1", "A=1"),
    ],
)
def test_programs_that_only_wrap_a_command_come_off(piece: str, expected: str) -> None:
    assert parse(piece).line == expected


def test_a_command_without_words_has_no_name() -> None:
    assert (Command().name, Command(words=("'mocha'",)).name) == ("", "mocha")
