"""Embedders by name; each SDK is imported when its embedder is asked for, and by its own module only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from retrieval.embedders.svd import SVDEmbedder

if TYPE_CHECKING:
    from retrieval.ports import Embedder


class EmbedderKind(StrEnum):
    """The embedders that can be configured."""

    SVD = "svd"
    ENDPOINT = "endpoint"
    FASTEMBED = "fastembed"
    SENTENCE_TRANSFORMERS = "sentence-transformers"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderConfig:
    """Which embedder; ``model``, ``url`` and ``key`` as far as it needs them."""

    kind: EmbedderKind = EmbedderKind.SVD
    model: str = ""
    url: str = ""
    key: str = ""


def build_embedder(config: EmbedderConfig) -> Embedder:
    """Return the configured embedder; raise ``EmbedderError`` when its package is not installed."""
    match config.kind:
        case EmbedderKind.SVD:
            return SVDEmbedder()
        case EmbedderKind.ENDPOINT:
            from retrieval.embedders.endpoint import EndpointEmbedder  # noqa: PLC0415 - loaded on demand

            return EndpointEmbedder(model=config.model, url=config.url, key=config.key)
        case EmbedderKind.FASTEMBED:
            from retrieval.embedders.fastembed_models import FastEmbedder  # noqa: PLC0415 - optional package

            return FastEmbedder(config.model)
        case EmbedderKind.SENTENCE_TRANSFORMERS:
            from retrieval.embedders.sentence_models import SentenceEmbedder  # noqa: PLC0415 - optional package

            return SentenceEmbedder(config.model)
