"""An embedder by ``sentence-transformers``, which is optional; all-mpnet-base-v2 is PatchRecall's."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MODEL = "sentence-transformers/all-mpnet-base-v2"


class SentenceEmbedder:
    """Runs a sentence-transformers model."""

    def __init__(self, model: str = "") -> None:
        try:
            module = import_module("sentence_transformers")
        except ImportError as error:
            advice = "install it with: pip install 'suture[sentence-transformers]'"
            raise EmbedderError(f"sentence-transformers is not installed; {advice}") from error
        self.name = f"sentence-transformers:{model or MODEL}"
        self._model = module.SentenceTransformer(model or MODEL)

    def fit(self, texts: Sequence[str]) -> None:
        """Do nothing: the model has learnt already."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length one a text."""
        return np.asarray(self._model.encode(list(texts), normalize_embeddings=True), dtype=np.float32)
