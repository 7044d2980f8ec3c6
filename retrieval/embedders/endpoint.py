"""An embedder behind any OpenAI-compatible endpoint: the only place of this package that knows the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import openai

from retrieval.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SECONDS = 30.0
RETRIES = 2
_AT_ONCE = 64
_LONGEST = 8_000


class EndpointEmbedder:
    """Sends at most 64 texts of 8,000 characters a call; waits 30 seconds, tries three times."""

    def __init__(self, *, model: str, url: str, key: str) -> None:
        if not model:
            raise EmbedderError("the endpoint embedder needs a model's name")
        self.name = f"endpoint:{model}"
        self._model = model
        self._client = openai.OpenAI(
            base_url=url or None, api_key=key or "none", timeout=SECONDS, max_retries=RETRIES
        )

    def fit(self, texts: Sequence[str]) -> None:
        """Do nothing: the model has learnt already."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length one a text."""
        rows: list[list[float]] = []
        for at in range(0, len(texts), _AT_ONCE):
            rows += self._asked([text[:_LONGEST] or " " for text in texts[at : at + _AT_ONCE]])
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), -1)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)

    def _asked(self, texts: list[str]) -> list[list[float]]:
        try:
            reply = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        except openai.APIConnectionError as error:
            raise EmbedderError("the embeddings endpoint cannot be reached", retryable=True) from error
        except openai.APIStatusError as error:
            retryable = error.status_code >= 500  # noqa: PLR2004 - the server's fault
            raise EmbedderError(
                f"the embeddings endpoint answered {error.status_code}", retryable=retryable
            ) from error
        if len(reply.data) != len(texts):
            raise EmbedderError(
                f"the embeddings endpoint gave {len(reply.data)} vectors for {len(texts)} texts"
            )
        return [one.embedding for one in sorted(reply.data, key=lambda one: one.index)]
