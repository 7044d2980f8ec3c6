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
        "title_words": 0.92,
        "body_words": 0.7,
        "best_chunk": 0.56,
        "lead_chunk": 0.43,
        "title_chunk": 0.75,
        "title_pairs": 0.34,
        "body_pairs": 0.67,
        "path_words": 0.7,
        "path_title": 0.45,
        "path_and_lead": 0.47,
        "title_definition": 0.63,
        "title_vocabulary": 0.64,
        "defined_names": 0.37,
        "defined_code": 0.61,
        "named_paths": 0.9,
        "traceback_frames": 0.17,
    },
    history={
        "log_title": 0.84,
        "log_body": 0.69,
        "log_and_lead": 0.74,
        "recency": 0.14,
        "issues": 0.49,
    },
)
"""The weights that ``suture eval localization --fit`` gives on all 255 dev cases; what to expect of them on
repositories that were not fitted to says ``docs/benchmarks/localization.md``."""

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
