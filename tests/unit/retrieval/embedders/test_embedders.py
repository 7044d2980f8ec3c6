"""Every embedder behind the port: rows of length one, alike for like texts; errors that say what to do."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import openai
import pytest

from retrieval.embedders import EmbedderConfig, EmbedderKind, build_embedder
from retrieval.embedders import endpoint as endpoints
from retrieval.embedders.endpoint import EndpointEmbedder
from retrieval.embedders.svd import SVDEmbedder
from retrieval.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS = ["cookie header parser", "canvas colors", "cookie names", "login form"]


def test_svd_rows_have_length_one_and_like_texts_are_near() -> None:
    embedder = SVDEmbedder()
    embedder.fit(TEXTS)
    rows = embedder.embed([*TEXTS, "cookies", "zebra"])

    assert np.linalg.norm(rows[:5], axis=1).tolist() == pytest.approx([1] * 5, abs=1e-5)
    assert int(np.argmax(rows[:4] @ rows[4])) in {0, 2}
    assert not rows[5].any()


def test_svd_keeps_what_it_learnt(tmp_path: Path) -> None:
    first, second = SVDEmbedder(), SVDEmbedder()
    first.fit(TEXTS)
    first.save(tmp_path / "s.npz")
    second.load(tmp_path / "s.npz")

    assert second.embed(TEXTS).tolist() == first.embed(TEXTS).tolist()


def test_svd_of_a_single_text_has_no_axes_and_still_works(tmp_path: Path) -> None:
    embedder, again = SVDEmbedder(), SVDEmbedder()
    embedder.fit(["cookie"])
    embedder.save(tmp_path / "s.npz")
    again.load(tmp_path / "s.npz")

    assert embedder.embed(["cookie"]).tolist() == again.embed(["cookie"]).tolist() == [[1.0]]


def test_svd_must_be_fitted_first() -> None:
    with pytest.raises(EmbedderError, match="not fitted"):
        SVDEmbedder().embed(["x"])


@pytest.mark.parametrize(
    ("kind", "module", "advice"),
    [
        (EmbedderKind.FASTEMBED, "fastembed", r"pip install 'suture\[fastembed\]'"),
        (
            EmbedderKind.SENTENCE_TRANSFORMERS,
            "sentence_transformers",
            r"pip install 'suture\[sentence-transformers\]'",
        ),
    ],
)
def test_a_missing_package_is_named_with_what_to_type(
    kind: EmbedderKind, module: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(EmbedderError, match=advice):
        build_embedder(EmbedderConfig(kind=kind))


def test_optional_packages_are_used_when_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self, name: str) -> None:
            self.name = name

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[3.0, 4.0] for _ in texts]

        def encode(self, texts: Sequence[str], *, normalize_embeddings: bool) -> list[list[float]]:
            assert normalize_embeddings
            return [[0.6, 0.8] for _ in texts]

    monkeypatch.setitem(sys.modules, "fastembed", SimpleNamespace(TextEmbedding=Model))
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Model))
    for kind in (EmbedderKind.FASTEMBED, EmbedderKind.SENTENCE_TRANSFORMERS):
        embedder = build_embedder(EmbedderConfig(kind=kind, model="m"))
        embedder.fit(["x"])
        assert embedder.embed(["a", "b"]).ravel().tolist() == pytest.approx([0.6, 0.8, 0.6, 0.8])
        assert embedder.name == f"{kind}:m"


class Reply(SimpleNamespace):
    data: list[SimpleNamespace]


class Client:
    """Stands for the SDK's client."""

    def __init__(self, error: Exception | None = None, *, short: bool = False) -> None:
        self.embeddings = self
        self.calls: list[int] = []
        self._error, self._short = error, short

    def create(self, *, model: str, input: list[str], encoding_format: str) -> Reply:  # noqa: A002 - the SDK's name
        self.calls.append(len(input))
        if self._error:
            raise self._error
        rows = [SimpleNamespace(index=at, embedding=[float(at + 1), 0.0]) for at in range(len(input))]
        return Reply(data=rows[::-1][: 1 if self._short else None])


def built(client: Client) -> EndpointEmbedder:
    embedder = EndpointEmbedder(model="m", url="http://localhost:1", key="")
    embedder._client = client  # type: ignore[assignment]
    return embedder


def test_the_endpoint_is_asked_in_blocks_and_rows_are_put_in_order() -> None:
    client = Client()
    embedder = built(client)
    embedder.fit(["x"])

    assert embedder.embed(["t"] * 70).tolist() == [[1.0, 0.0]] * 70
    assert (client.calls, embedder.name) == ([64, 6], "endpoint:m")


def status(code: int) -> openai.APIStatusError:
    """Return the SDK's error without the HTTP library that it happens to be built on."""
    error = openai.APIStatusError.__new__(openai.APIStatusError)
    error.args, error.status_code = ("secret",), code
    return error


def unreachable() -> openai.APIConnectionError:
    return openai.APIConnectionError.__new__(openai.APIConnectionError)


@pytest.mark.parametrize(
    ("client", "message", "retryable"),
    [
        (Client(unreachable()), "cannot be reached", True),
        (Client(status(401)), "answered 401", False),
        (Client(status(503)), "answered 503", True),
        (Client(short=True), "1 vectors for 2 texts", False),
    ],
)
def test_a_failing_endpoint_is_one_clear_error(client: Client, message: str, retryable: bool) -> None:
    with pytest.raises(EmbedderError, match=message) as caught:
        built(client).embed(["a", "b"])
    assert caught.value.retryable is retryable
    assert "secret" not in str(caught.value)


def test_the_endpoint_needs_a_model() -> None:
    with pytest.raises(EmbedderError, match="needs a model's name"):
        build_embedder(EmbedderConfig(kind=EmbedderKind.ENDPOINT))


def test_waiting_is_bounded() -> None:
    assert (endpoints.SECONDS, endpoints.RETRIES) == (30.0, 2)
