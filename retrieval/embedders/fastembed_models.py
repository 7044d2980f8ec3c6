"""An embedder by ``fastembed``, which is optional."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MODEL = "sentence-transformers/all-MiniLM-L6-v2"


class FastEmbedder:
    """Runs a model of fastembed's catalogue on the processor."""

    def __init__(self, model: str = "") -> None:
        try:
            module = import_module("fastembed")
        except ImportError as error:
            raise EmbedderError(
                "fastembed is not installed; install it with: pip install 'suture[fastembed]'"
            ) from error
        self.name = f"fastembed:{model or MODEL}"
        self._model = module.TextEmbedding(model or MODEL)

    def fit(self, texts: Sequence[str]) -> None:
        """Do nothing: the model has learnt already."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length one a text."""
        vectors = np.array(list(self._model.embed(list(texts))), dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
