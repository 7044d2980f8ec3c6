"""Tag names are a mess; the rule set reads the real ones and refuses what is no version."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.versions import Phase, Version, tag_version, version_of

READ = [
    ("v1.2", "", "1.2"),
    ("V1.2.3", "", "1.2.3"),
    ("v.1.2", "", "1.2"),
    ("release-1.2", "", "1.2"),
    ("release/v1.2.3", "", "1.2.3"),
    ("RELEASE_3_0", "", "3.0"),
    ("rel-4.1.2", "", "4.1.2"),
    ("refs/tags/v2.0.1", "", "2.0.1"),
    ("1_2_FINAL", "", "1.2"),
    ("2.4.0.Final", "", "2.4.0"),
    ("2-8-7", "", "2.8.7"),
    ("Zope-2-8-7", "zope", "2.8.7"),
    ("curl-7_88_1", "curl", "7.88.1"),
    ("OpenSSL_1_1_1w", "openssl", "1.1.1.post23"),
    ("lxml-2.0alpha1", "lxml", "2.0a1"),
    ("lxml-1.0.beta", "lxml", "1.0b0"),
    ("v0.1.0-beta.10", "", "0.1.0b10"),
    ("20.3.0rc1", "", "20.3.0rc1"),
    ("2.0.0.rc1", "", "2.0.0rc1"),
    ("1.0a1.dev3", "", "1.0a1"),
    ("1.0.dev3", "", "1.0.dev3"),
    ("1.10.0.post2", "", "1.10.0.post2"),
    ("1.0.0+build.5", "", "1.0.0"),
    ("debian/1.2.3-1", "debian", "1.2.3.post1"),
    ("pylint-debian-version-0.18.1-2", "pylint-debian", "0.18.1.post2"),
    ("@jupyter-notebook/tree@7.0.0-alpha.3", "jupyter-notebook/tree", "7.0.0a3"),
    ("protobufjs-v7.2.4", "protobufjs", "7.2.4"),
    ("pkg@1.2", "pkg", "1.2"),
    ("pkg@3", "pkg", "3"),
    ("python3-lib-1.2", "python3-lib", "1.2"),
    ("v3", "", "3"),
    ("2023.10.01", "", "2023.10.1"),
]
NO_VERSION = [
    "",
    "v",
    "pre-release",
    "dec-11",
    "r1234",
    "1.2.x",
    "4.17.5-npm",
    "4.60.0-beta-winamp-only",
    "before-black",
    "9" * 50,
    "1." * 500 + "1",
]


@pytest.mark.parametrize(("name", "label", "version"), READ)
def test_the_names_of_real_tags_are_read(name: str, label: str, version: str) -> None:
    found = tag_version(name)

    assert found is not None
    assert (found.label, str(found.version)) == (label, version)


@pytest.mark.parametrize("name", NO_VERSION)
def test_other_names_are_no_versions(name: str) -> None:
    assert tag_version(name) is None


def test_versions_are_ordered_as_releases_follow_each_other() -> None:
    names = ["1.0.dev1", "1.0a1", "1.0a2", "1.0b1", "1.0rc1", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10", "2"]
    versions = [version_of(name) for name in names]

    assert sorted(versions, key=lambda version: version.key if version else ((), Phase.FINAL, 0)) == versions


def test_a_zero_at_the_end_makes_no_other_version() -> None:
    assert version_of("1.2") == version_of("v1.2.0")
    assert len({version_of("1.2"), version_of("1.2.0"), version_of("1.2.0.0")}) == 1
    assert version_of("0") == version_of("0.0")


def test_a_version_is_nothing_else() -> None:
    assert Version(numbers=(1,)) != "1"


def test_a_step_towards_a_release_is_no_release() -> None:
    released = [
        name for name in ("1.0rc1", "1.0", "1.0.post1", "1.0.dev0") if (v := version_of(name)) and v.released
    ]

    assert released == ["1.0", "1.0.post1"]


def test_an_earlier_version_is_less() -> None:
    assert Version(numbers=(1, 9)) < Version(numbers=(1, 10))
    assert Version(numbers=(1, 10)) >= Version(numbers=(1, 9))


@given(
    st.lists(st.integers(0, 99), min_size=2, max_size=4), st.sampled_from(["v", "release-", "pkg-", "x/y@"])
)
def test_any_dotted_numbers_come_back_behind_any_label(numbers: list[int], before: str) -> None:
    found = tag_version(before + ".".join(map(str, numbers)))

    assert found is not None
    assert found.version.numbers == tuple(numbers)


@given(st.text(max_size=60))
def test_no_name_makes_it_fail(name: str) -> None:
    found = tag_version(name)

    assert found is None or found.version.numbers
