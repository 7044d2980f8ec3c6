from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from evaluation.repair.case import Amendment, Size
from evaluation.repair.case_file import read_case, read_cases
from evaluation.repair.errors import CaseError
from evaluation.repair.schema import case_schema
from tests.repair_cases import case_mapping, write_case

ROOT = Path(__file__).parents[4]


def test_a_case_is_read_with_its_texts(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping(aliases=["GHSA-1"], developer_test_limit_s=60))

    (case,) = read_cases(tmp_path)

    assert (case.id, case.identifiers, case.developer_seconds) == ("SHELF-1", ("SHELF-1", "GHSA-1"), 60.0)
    assert "follows" in case.advisory
    assert "sys.exit(0)" in case.proof
    assert case.size.size is Size.SMALL


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"developer_tset": "x"}, "developer_tset"),
        ({"fix_commit": "HEAD"}, "fix_commit"),
        ({"gold_files": ["../etc/passwd"]}, "not a path inside the repository"),
        ({"gold_files": []}, "gold_files"),
        ({"poc": "../../poc.py"}, "poc"),
        ({"language": "cobol"}, "language"),
    ],
)
def test_a_bad_description_is_refused_by_name(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    write_case(tmp_path, case_mapping(**changes))

    with pytest.raises(CaseError, match=f"^case SHELF-1: .*{said}") as error:
        read_cases(tmp_path)
    assert "\n" not in str(error.value)


def test_a_folder_must_carry_its_cases_name(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    (tmp_path / "SHELF-1").rename(tmp_path / "SHELF-2")

    with pytest.raises(CaseError, match="calls itself SHELF-1"):
        read_cases(tmp_path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    (tmp_path / "SHELF-1" / "poc.py").unlink()

    with pytest.raises(CaseError, match=r"SHELF-1/poc\.py cannot be read: No such file"):
        read_cases(tmp_path)


@pytest.mark.parametrize(("text", "said"), [("a: [", "is no YAML"), ("- a", "must hold one mapping")])
def test_what_is_no_description_is_refused(tmp_path: Path, text: str, said: str) -> None:
    write_case(tmp_path, case_mapping())
    (tmp_path / "SHELF-1" / "case.yaml").write_text(text, "utf-8")

    with pytest.raises(CaseError, match=said):
        read_case(tmp_path / "SHELF-1")


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xff\xfe\x00", "not UTF-8"), (b"a" * 1_000_001, "larger than 1 MB")]
)
def test_texts_that_cannot_be_used_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    write_case(tmp_path, case_mapping())
    (tmp_path / "SHELF-1" / "advisory.md").write_bytes(content)

    with pytest.raises(CaseError, match=said):
        read_cases(tmp_path)


def test_cases_are_chosen_by_id_and_unknown_ids_refused(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    write_case(tmp_path, case_mapping(id="SHELF-2"))

    assert [case.id for case in read_cases(tmp_path, only=("SHELF-2",))] == ["SHELF-2"]
    with pytest.raises(CaseError, match="no case SHELF-3"):
        read_cases(tmp_path, only=("SHELF-3",))


def test_an_empty_folder_is_no_set_of_cases(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="holds no cases"):
        read_cases(tmp_path)


def test_the_contract_is_read_where_there_is_one(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    (tmp_path / "SHELF-1" / "contract.md").write_text("A ValueError is raised.", "utf-8")

    assert read_cases(tmp_path)[0].contract == "A ValueError is raised."


def test_an_amendment_changes_a_case_and_stays_visible(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    amendments = tmp_path / "amendments.yaml"
    amendments.write_text(
        yaml.safe_dump(
            {"SHELF-1": {"reason": "the runner lies elsewhere", "change": {"regression_test": "true"}}}
        )
    )

    (case,) = read_cases(tmp_path, amendments=amendments)

    assert case.regression_test == "true"
    assert case.amendments == (Amendment(reason="the runner lies elsewhere", fields=("regression_test",)),)


def test_an_amendment_without_a_reason_is_refused(tmp_path: Path) -> None:
    write_case(tmp_path, case_mapping())
    amendments = tmp_path / "amendments.yaml"
    amendments.write_text(yaml.safe_dump({"SHELF-1": {"reason": "", "change": {"title": "x"}}}))

    with pytest.raises(CaseError, match=r"amendments\.yaml: reason"):
        read_cases(tmp_path, amendments=amendments)


def test_the_published_schema_is_the_one_that_is_used() -> None:
    """``python -m evaluation.repair.schema > docs/case.schema.json`` makes it anew."""
    assert case_schema() == (ROOT / "docs" / "case.schema.json").read_text("utf-8")


def test_the_published_schema_accepts_a_case_and_refuses_a_misspelt_one() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(case_schema()))

    assert list(validator.iter_errors(case_mapping())) == []
    assert list(validator.iter_errors(case_mapping(developer_tset="x"))) != []


def test_the_amendments_that_ship_can_be_read(tmp_path: Path) -> None:
    """They name cases that are not here: only their shape is held."""
    write_case(tmp_path, case_mapping())

    shipped = ROOT / "docs" / "benchmarks" / "case-amendments.yaml"
    assert len(read_cases(tmp_path, amendments=shipped)) == 1
