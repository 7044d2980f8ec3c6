"""An address within the site passes the check as it is; everything that a browser takes elsewhere does not."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.rules.open_redirect import _LOCAL  # the pattern is what the rule writes into a project


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/home",
        "/a//b",
        "/a?next=http://x/",
        "home",
        "home/a",
        "../up",
        "./here",
        "?page=2",
        "#top",
        "a.html?t=10:30",
    ],
)
def test_an_address_of_the_site_is_kept(address: str) -> None:
    assert re.fullmatch(_LOCAL, address)


@pytest.mark.parametrize(
    "address",
    [
        "", "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "\\/evil.example",
        ".//evil.example",
        "https://evil.example", "https:evil.example", "HTTPS:/evil.example", "javascript:alert(1)", "/\t/evil.example",
        "\t//evil.example", " //evil.example", "java\nscript:x", "/a\n",
    ],
)  # fmt: skip
def test_an_address_elsewhere_is_refused(address: str) -> None:
    assert not re.fullmatch(_LOCAL, address)


@given(st.text(alphabet="/\\.:a?#\t\n @%", max_size=10))
def test_no_text_that_passes_leaves_the_site(address: str) -> None:
    """Read as a browser does: white space dropped, a backslash taken for a slash."""
    if re.fullmatch(_LOCAL, address):
        seen = re.sub(r"[\t\r\n]", "", address).strip().replace("\\", "/")
        there = urlsplit(urljoin("https://app.example/a/b", seen))
        assert (there.scheme, there.netloc) == ("https", "app.example")
