"""The presets by name, their weights and where these come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.files.fusion import Preset

if TYPE_CHECKING:
    from collections.abc import Mapping


def weighed(*, lexical: Mapping[str, float], history: Mapping[str, float]) -> Preset:
    """Return the default preset of fitted weights: alpha is the share of the history side in their sum."""
    words, past = sum(lexical.values()), sum(history.values())
    return Preset(
        name="default",
        alpha=past / (words + past),
        lexical={name: weight / words for name, weight in lexical.items()},
        history={name: weight / past for name, weight in history.items()},
    )


DEFAULT = weighed(
    lexical={
        "title_words": 0.93,
        "body_words": 0.67,
        "best_chunk": 0.49,
        "lead_chunk": 0.47,
        "title_chunk": 0.79,
        "title_pairs": 0.38,
        "body_pairs": 0.72,
        "path_words": 0.62,
        "path_title": 0.5,
        "path_and_lead": 0.52,
        "title_definition": 0.67,
        "title_vocabulary": 0.68,
        "defined_names": 0.31,
        "defined_code": 0.54,
        "named_paths": 0.89,
        "traceback_frames": 0.08,
    },
    history={
        "log_title": 0.86,
        "log_body": 0.74,
        "log_and_lead": 0.77,
        "recency": 0.22,
        "issues": 0.32,
    },
)
"""The best found so far. The weights were fitted to 217 of the 255 dev cases (all but one repository's); the fit of
``suture eval localization --fit`` on all of them is to replace them once ``docs/benchmarks/localization.md`` is
measured in full."""

PAPER = Preset(
    name="paper",
    alpha=0.5,
    lexical={"okapi_words": 1.0},
    history={"paper_issues": 1.0},
    apart=False,
)
"""PatchRecall as published: BM25Okapi of the report over all files, joined in equal parts with the number of the
ten most similar past issues whose fixes changed a file."""

PRESETS = {preset.name: preset for preset in (DEFAULT, PAPER)}
"""Every preset by its name."""
