"""What repositories ask of contributors."""

from __future__ import annotations

import pytest

from bot.github.policies import CommitStyle, code_owners, commit_style, commit_subject, prohibition


@pytest.mark.parametrize(
    "text",
    [
        "AI-generated pull requests are not accepted.",
        "We do not accept AI generated contributions.",
        "Please **do not** submit LLM-generated PRs.",
        "- No automated pull requests, please.",
        "Automated PRs will be closed without review.",
        "Pull requests welcome!\n\nBot pull requests are prohibited.",
        "Contributions created with AI code will not be accepted: agent pull requests are forbidden.",
        "We don't want any ChatGPT-written patches here.",
        "Machine-generated patches will not be merged.",
    ],
)
def test_a_ban_is_found(text: str) -> None:
    found = prohibition("CONTRIBUTING.md", text)

    assert found is not None
    assert found.path == "CONTRIBUTING.md"
    assert found.sentence


@pytest.mark.parametrize(
    "text",
    [
        "Please open pull requests against main.",
        "Our bot merges pull requests that are approved.",
        "Automated tests run on every pull request.",
        "Pull requests without tests are not accepted.",
        "Code that is not formatted will not be merged; the CI is automated.",
        "AI-assisted contributions are welcome if you disclose them.",
        "AI-generated pull requests are not accepted unless a maintainer asked for them.",
        "<!-- AI-generated pull requests are not accepted. -->",
        "",
    ],
)
def test_what_is_no_ban_is_none(text: str) -> None:
    assert prohibition("CONTRIBUTING.md", text) is None


OWNERS = """
# comment
*            @acme/everybody
*.js         @js-owner  # trailing
/build/logs/ @doctocat
docs/*       docs@example.com @writer
apps/        @octocat
/scripts/    @doctocat @octocat
**/logs      @logger
/free/
src/**/deep/*.py @deep
!negated     @nobody
[Section]    @nobody
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", ("acme/everybody",)),
        ("a/b/app.js", ("js-owner",)),
        ("build/logs/x.txt", ("logger",)),
        ("docs/start.md", ("writer",)),
        ("docs/build/start.md", ("acme/everybody",)),
        ("x/apps/y/z.txt", ("octocat",)),
        ("scripts/run", ("doctocat", "octocat")),
        ("x/scripts/run", ("acme/everybody",)),
        ("deep/logs/a", ("logger",)),
        ("free/x", ()),
        ("src/a/b/deep/x.py", ("deep",)),
        ("src/deep/x.py", ("deep",)),
    ],
)
def test_the_last_rule_that_fits_names_the_owners(path: str, expected: tuple[str, ...]) -> None:
    """As in GitHub's own examples; addresses and teams alike, a rule without owners frees a path."""
    assert code_owners(OWNERS, [path]) == expected


def test_owners_of_many_paths_are_named_once() -> None:
    assert code_owners("*.py @a @b\n*.js @b @c\n", ["x.py", "y.js"]) == ("a", "b", "c")


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["feat: a", "fix(core)!: b", "Merge branch x", "docs: c"], CommitStyle.CONVENTIONAL),
        (["net/http: fix x", "runtime: y", "Merge pull request #1"], CommitStyle.SCOPED),
        (["Fix the thing", "Add another"], CommitStyle.PLAIN),
        ([], CommitStyle.PLAIN),
        (["Merge x"], CommitStyle.PLAIN),
    ],
)
def test_the_style_is_what_most_subjects_have(subjects: list[str], expected: CommitStyle) -> None:
    assert commit_style(subjects) is expected


@pytest.mark.parametrize(
    ("title", "style", "expected"),
    [
        ("Quote the argument", CommitStyle.PLAIN, "Quote the argument"),
        ("Quote the argument", CommitStyle.CONVENTIONAL, "fix: quote the argument"),
        ("Quote the argument", CommitStyle.SCOPED, "src: quote the argument"),
        ("fix(x): y", CommitStyle.CONVENTIONAL, "fix(x): y"),
    ],
)
def test_a_title_takes_the_style(title: str, style: CommitStyle, expected: str) -> None:
    assert commit_subject(title, style, "src/app.py") == expected


def test_a_file_at_the_top_gives_its_name() -> None:
    assert commit_subject("Quote it", CommitStyle.SCOPED, "setup.py") == "setup: quote it"
