"""A command's test runner is known by its program, module or script."""

from __future__ import annotations

import pytest

from agent.toolchains.recognise import runner_of
from agent.toolchains.shell import parse


@pytest.mark.parametrize(
    ("line", "runner"),
    [
        ("pytest -q", "pytest"),
        ("python -m pytest", "pytest"),
        ("python -W error -m unittest discover", "unittest"),
        ("python -m tornado.test.runtests", "unittest"),
        ("python -m tornado.test", "unittest"),
        ("python -m", ""),
        ("python -m build", ""),
        ("python -c 'import x'", ""),
        ("python", ""),
        ("python test.py -- -knownfailure", "unittest"),
        ("python tests/test_thing.py", "unittest"),
        ("python tools/contest.py", ""),
        ("python setup.py test", "unittest"),
        ("python setup.py sdist", ""),
        ("python runtests.py", "django"),
        ("./runtests.py", "django"),
        ("python manage.py test", "django"),
        ("python manage.py migrate", ""),
        ("./manage.py test app", "django"),
        ("django-admin test", "django"),
        ("django-admin check", ""),
        ("mocha test", "mocha"),
        ("jest --version", ""),
        ("react-scripts test", "jest"),
        ("react-scripts build", ""),
        ("vitest run", "vitest"),
        ("ava", "ava"),
        ("tap test/*.js", "tap"),
        ("tape test", "tape"),
        ("vows test/*_test.js", "vows"),
        ("node --test", "node"),
        ("node test.js", "tape"),
        ("node test/index.js", "tape"),
        ("node ./node_modules/mocha/bin/mocha", "mocha"),
        ("node node_modules/.bin/jest", "jest"),
        ("node build.js", ""),
        ("node", ""),
        ("eslint .", ""),
        ("", ""),
    ],
)
def test_the_runner_of_a_command(line: str, runner: str) -> None:
    assert runner_of(parse(line)) == runner
