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
        "title_words": 1.0,
        "body_words": 1.0,
        "best_chunk": 1.0,
        "lead_chunk": 1.0,
        "title_chunk": 1.0,
        "title_pairs": 1.0,
        "body_pairs": 1.0,
        "path_words": 1.0,
        "path_title": 1.0,
        "path_and_lead": 1.0,
        "title_definition": 1.0,
        "title_vocabulary": 1.0,
        "defined_names": 1.0,
        "defined_code": 1.0,
        "named_paths": 1.0,
        "traceback_frames": 1.0,
    },
    history={
        "log_title": 1.0,
        "log_body": 1.0,
        "log_and_lead": 1.0,
        "recency": 1.0,
        "issues": 1.0,
    },
)

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
