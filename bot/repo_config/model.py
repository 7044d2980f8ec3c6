"""The repository configuration, ``.github/suture.yml``; everything has a default, so an empty file works.

``docs/suture.schema.json`` is generated from here: ``python -m bot.repo_config.schema``.
"""

from __future__ import annotations

from enum import StrEnum
from string import Formatter
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator

from agent.domain.run import Depth
from handlers.triggers import AdvisoryTrigger, AlertThreshold

PATH = ".github/suture.yml"
TITLE_FIELDS = frozenset({"id", "title", "severity"})

Line = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Names = Annotated[tuple[Name, ...], Field(strict=False, max_length=100)]
Lines = Annotated[
    tuple[Line, ...],
    Field(strict=False, max_length=50),
    BeforeValidator(
        lambda value: [value] if isinstance(value, str) else value,
        json_schema_input_type=Line | Annotated[list[Line], Field(max_length=50)],
    ),
]


class CommandPermission(StrEnum):
    """What somebody must hold on the repository to give commands."""

    TRIAGE = "triage"
    WRITE = "write"
    ADMIN = "admin"


class Unproven(StrEnum):
    """Where a patch goes whose flaw could not be reproduced."""

    PULL_REQUEST = "pull_request"
    COMMENT = "comment"
    NONE = "none"


class Section(BaseModel):
    """Base of all sections: unknown keys and mistyped values are errors."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


class Triggers(Section):
    """What starts a run by itself."""

    labels: Names = ("security",)
    """Issue labels that start a run, in any case."""
    advisories: Annotated[
        tuple[Annotated[AdvisoryTrigger, Field(strict=False)], ...], Field(strict=False)
    ] = tuple(AdvisoryTrigger)
    """Which repository advisories start a run. What is only reported stays private."""
    code_scanning: Annotated[AlertThreshold, Field(strict=False)] = AlertThreshold.NEVER
    """The lowest severity of code scanning alerts that start a run. The pull request is as public as the repository."""
    dependabot: Annotated[AlertThreshold, Field(strict=False)] = AlertThreshold.NEVER
    """The lowest severity of Dependabot alerts that start a run; useful where dependencies are vendored."""


class Commands(Section):
    """Who may give `/patch` commands."""

    permission: Annotated[CommandPermission, Field(strict=False)] = CommandPermission.WRITE
    """The permission a commander needs on the repository."""
    bots: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(strict=False, max_length=20)] = ()
    """User ids of bots that are obeyed; all others are not heard."""


class Branches(Section):
    """Which branches Suture works on."""

    base: Annotated[str, StringConstraints(max_length=255)] = ""
    """The branch that pull requests are opened against; empty for the default branch."""
    release: Names = ()
    """Release branches, as shell patterns such as `release/*`; fixes are carried back to them."""


class Build(Section):
    """How the project is installed and tested; empty values are detected."""

    install: Lines = ()
    """Shell lines that install the project and its dependencies."""
    packages: Names = ()
    """System packages the build needs."""
    build: Lines = ()
    """Shell lines that build it."""
    test: Annotated[str, StringConstraints(max_length=1_000)] = ""
    """The shell line that runs the tests."""
    python: Annotated[str, StringConstraints(max_length=20)] = ""
    """The Python version, in quotes."""
    node: Annotated[str, StringConstraints(max_length=20)] = ""
    """The Node.js version, in quotes."""


class Paths(Section):
    """Which files are looked at and changed, as glob patterns."""

    include: Names = ()
    """Only these are searched for the flaw; empty for all."""
    exclude: Names = ()
    """These are never searched."""
    protected: Names = ()
    """These are never changed. Workflows, CI and this file never are."""


class Limits(Section):
    """Upper bounds; the operator may set lower ones."""

    files: Annotated[int, Field(ge=1, le=100)] = 6
    """Files a patch may change."""
    lines: Annotated[int, Field(ge=1, le=10_000)] = 200
    """Lines a patch may add and remove."""
    minutes: Annotated[float, Field(gt=0, le=1_440)] = 45.0
    """Minutes a run may take."""
    money: Annotated[float, Field(ge=0)] | None = None
    """US dollars a run may spend on models; empty for the operator's bound."""
    tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens a run may spend on models; empty for the operator's bound."""
    ci_refinements: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a patch is improved after failed checks, before the pull request is labelled `needs-human`."""
    open_pull_requests: Annotated[int, Field(ge=0, le=100)] = 5
    """Pull requests of Suture that may be open at once."""


class Publish(Section):
    """What a pull request looks like."""

    draft: bool = True
    """Whether pull requests are opened as drafts."""
    unproven: Annotated[Unproven, Field(strict=False)] = Unproven.COMMENT
    """What is done with a patch for a flaw that could not be reproduced."""
    labels: Names = ()
    """Labels for pull requests."""
    reviewers: Names = ()
    """Users asked for a review; empty for the code owners."""
    signoff: bool = False
    """Whether commits carry a `Signed-off-by` line of the App's own identity."""
    title: Annotated[str, StringConstraints(max_length=200)] = ""
    """The title, with `{id}`, `{title}` and `{severity}` filled in; empty for the repository's own style."""

    @field_validator("title")
    @classmethod
    def _has_known_fields(cls, value: str) -> str:
        """Refuse braces that cannot be filled in."""
        known = ", ".join(f"{{{name}}}" for name in sorted(TITLE_FIELDS))
        try:
            names = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(value)]
        except ValueError:
            raise ValueError(f"braces may only hold {known}") from None
        if any(name is not None and (name not in TITLE_FIELDS or spec or sort) for name, spec, sort in names):
            raise ValueError(f"braces may only hold {known}")
        return value


class Models(Section):
    """Which models work here, from those the operator allows."""

    author: Annotated[str, StringConstraints(max_length=100)] = ""
    """The model that writes patches; empty for the operator's."""
    reviewer: Annotated[str, StringConstraints(max_length=100)] = ""
    """The model that tries to break them; empty for the operator's."""
    depth: Annotated[Depth, Field(strict=False)] = Depth.STANDARD
    """How much is spent: quick has no diagnosis, standard a reviewer, thorough everything."""


class Retrieval(Section):
    """How files are ranked for a report."""

    alpha: Annotated[float, Field(ge=0, le=1)] | None = None
    """The weight of history against text, 0 to 1; empty for what measures best."""
    top_k: Annotated[int, Field(ge=1, le=200)] = 20
    """How many ranked files are looked at."""


class RepoConfig(Section):
    """Suture's configuration of one repository, `.github/suture.yml` on the default branch."""

    enabled: bool = True
    """Whether Suture does anything here: the kill switch."""
    triggers: Triggers = Triggers()
    commands: Commands = Commands()
    branches: Branches = Branches()
    build: Build = Build()
    paths: Paths = Paths()
    limits: Limits = Limits()
    publish: Publish = Publish()
    models: Models = Models()
    retrieval: Retrieval = Retrieval()
