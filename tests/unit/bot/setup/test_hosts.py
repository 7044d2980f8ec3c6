"""Addresses of every kind of GitHub are read, others are refused with one line."""

from __future__ import annotations

import pytest

from bot.setup.errors import SetupError
from bot.setup.hosts import Host, read_host, read_organization, read_public_url

GITHUB = Host(web_url="https://github.com", api_url="https://api.github.com")


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://github.com", GITHUB),
        ("github.com", GITHUB),
        ("http://www.github.com/octo", GITHUB),
        ("https://API.GitHub.com/", GITHUB),
        ("octo.ghe.com", Host(web_url="https://octo.ghe.com", api_url="https://api.octo.ghe.com")),
        (
            "https://api.octo.ghe.com",
            Host(web_url="https://octo.ghe.com", api_url="https://api.octo.ghe.com"),
        ),
        (
            " https://github.example.com/ ",
            Host(web_url="https://github.example.com", api_url="https://github.example.com/api/v3"),
        ),
        (
            "http://user@[::1]:4020",
            Host(web_url="http://[::1]:4020", api_url="http://[::1]:4020/api/v3"),
        ),
        (
            "http://127.0.0.1:4020/api/v3",
            Host(web_url="http://127.0.0.1:4020", api_url="http://127.0.0.1:4020/api/v3"),
        ),
    ],
)
def test_the_address_of_a_github_is_read(address: str, host: Host) -> None:
    assert read_host(address) == host


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "ftp://github.com",
        "https://host:port",
        "https://host:99999",
        "http://a b",
        'https://"',
        "://",
    ],
)
def test_anything_else_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="The address of GitHub looks like https://HOST"):
        read_host(address)
    with pytest.raises(SetupError, match="The address of this server looks like https://HOST"):
        read_public_url(address, GITHUB)


def test_urls_are_made_for_organisations_and_people() -> None:
    assert GITHUB.new_app_url("octo", "s+t") == (
        "https://github.com/organizations/octo/settings/apps/new?state=s%2Bt"
    )
    assert GITHUB.new_app_url("", "st") == "https://github.com/settings/apps/new?state=st"
    assert GITHUB.conversion_url("a/../b") == ("https://api.github.com/app-manifests/a%2F..%2Fb/conversions")


@pytest.mark.parametrize("name", ["octo", " octo-1 ", "", "emu_short"])
def test_organisations_are_short_names(name: str) -> None:
    assert read_organization(name) == name.strip()


@pytest.mark.parametrize("name", ["../x", "a b", "-a", "https://github.com/octo", "x" * 40])
def test_other_organisations_are_refused(name: str) -> None:
    with pytest.raises(SetupError, match="short name"):
        read_organization(name)


def test_the_public_address_is_plain() -> None:
    assert read_public_url(" https://suture.example.org/base/ ", GITHUB) == "https://suture.example.org/base"
    for address in ("https://a.example/?x=1", "https://a.example/#x", "https://user@a.example"):
        with pytest.raises(SetupError, match="plain"):
            read_public_url(address, GITHUB)


@pytest.mark.parametrize("name", ["localhost:8080", "127.0.0.1", "[::1]:80", "suture.localhost"])
def test_github_does_not_reach_localhost_unless_it_is_there_itself(name: str) -> None:
    with pytest.raises(SetupError, match="GitHub cannot reach localhost"):
        read_public_url(f"http://{name}", GITHUB)
    assert read_public_url(f"http://{name}", read_host("http://127.0.0.1:4020")) == f"http://{name}"
