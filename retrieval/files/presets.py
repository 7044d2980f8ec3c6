"""The presets by name, their weights and where these come from."""

from __future__ import annotations

from retrieval.files.fusion import Preset

DEFAULT = Preset(
    name="default",
    alpha=0.18,
    lexical={
        "title_words": 3.5,
        "body_words": 0.5,
        "best_chunk": 1.8,
        "best_chunks": 1.0,
        "path_words": 1.3,
        "path_title": 0.7,
        "defined_names": 1.0,
        "named_paths": 1.5,
    },
    history={"log_body": 2.0, "recency": 0.6},
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
