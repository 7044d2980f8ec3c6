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
