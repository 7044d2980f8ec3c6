"""Hosts, grants and remembered answers."""

from __future__ import annotations

import pytest

from bot.github.etags import ETags, Place
from bot.github.grants import ALL, requested
from bot.github.hosts import GitHubConfig
from bot.github.transport import Answer


@pytest.mark.parametrize(
    ("api", "web", "host"),
    [
        ("https://api.github.com", "https://github.com", "github.com"),
        ("https://api.github.com/", "https://github.com", "github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com", "acme.ghe.com"),
        ("https://git.acme.example/api/v3", "https://git.acme.example", "git.acme.example"),
        ("http://127.0.0.1:4020", "http://127.0.0.1:4020", "127.0.0.1"),
    ],
)
def test_the_address_for_people_follows_from_the_apis(api: str, web: str, host: str) -> None:
    config = GitHubConfig(app_id=1, private_key="secret", api_url=api)

    assert (config.web_url, config.web_host) == (web, host)


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(GitHubConfig(app_id=1, private_key="secret"))


def test_the_app_asks_for_the_highest_of_each_and_never_for_workflows() -> None:
    union = requested()

    assert union["contents"] == union["issues"] == union["pull_requests"] == union["checks"] == "write"
    assert union["metadata"] == union["repository_advisories"] == "read"
    assert "workflows" not in union
    assert "administration" not in union
    assert len({grant.name for grant in ALL}) == len(ALL)


def build_answer(text: str, *, etag: bool = True) -> Answer:
    return Answer(status=200, headers={"etag": text} if etag else {}, text=text)


def test_answers_are_kept_for_who_asked() -> None:
    """Another viewer, address or form is another answer; one without an ETag is none."""
    etags = ETags()
    place = Place((1, 2, "read"), "u", "json")
    etags.keep(place, build_answer("a"))
    etags.keep(Place((1, 2, "read"), "v", "json"), build_answer("b", etag=False))

    assert etags.known(place) == build_answer("a")
    assert etags.known(Place((1, 3, "read"), "u", "json")) is None
    assert etags.known(Place((1, 2, "read"), "v", "json")) is None


def test_the_least_used_answer_is_forgotten_and_large_ones_are_not_kept() -> None:
    etags = ETags(entries=2)
    first, second, third, large = (Place((1, 1, "x"), name, "json") for name in "abcd")
    etags.keep(first, build_answer("1"))
    etags.keep(second, build_answer("2"))
    etags.known(first)
    etags.keep(third, build_answer("3"))
    etags.keep(large, build_answer("x" * 300_000))

    assert [etags.known(place) is not None for place in (first, second, third, large)] == [
        True,
        False,
        True,
        False,
    ]
