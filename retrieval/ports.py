"""What ranking needs from the outside, as Protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from retrieval.domain import PastIssue


class PastIssues(Protocol):
    """Closed issues with the files that their fixes changed."""

    def closed(self) -> Iterable[PastIssue]:
        """Yield them in any order; raise ``RetrievalError`` when they cannot be had."""
        ...


class Embedder(Protocol):
    """Texts as vectors of length one, near where the texts are alike."""

    @property
    def name(self) -> str:
        """Return what tells its vectors from another's, such as the model's name."""
        ...

    def fit(self, texts: Sequence[str]) -> None:
        """Learn from the texts of one repository; one with weights of its own does nothing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text; raise ``EmbedderError``."""
        ...
