"""The one GraphQL question Suture asks, judged by GitHub's own schema, answered from the emulator's state."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from graphql import GraphQLSchema, build_schema, execute_sync, parse, validate

from tests.testbed.openapi import Violation
from tests.testbed.packages import GRAPHQL
from tests.testbed.request import Reply

if TYPE_CHECKING:
    from tests.testbed.refusals import Upstream
    from tests.testbed.request import Request

CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\s+#(\d+)", re.IGNORECASE)


@cache
def schema() -> GraphQLSchema:
    """Return GitHub's public schema; building it takes some seconds."""
    return build_schema(GRAPHQL.read_text(), assume_valid=True)


async def answer_graphql(request: Request, upstream: Upstream, violations: list[Violation]) -> Reply:
    """Validate and answer a query about closed issues and the pull requests that closed them."""
    document = parse(request.json["query"])
    errors = validate(schema(), document)
    if errors:
        problem = "; ".join(error.message for error in errors)
        violations.append(Violation(method="POST", path="/graphql", problem=problem))
        return Reply(body={"errors": [{"message": error.message} for error in errors]})
    variables = request.json.get("variables", {})
    root = {"repository": await _repository(upstream, f"{variables['owner']}/{variables['name']}")}
    result = execute_sync(schema(), document, root_value=root, variable_values=variables)
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [{"message": error.message} for error in result.errors]
    return Reply(body=body)


async def _repository(upstream: Upstream, name: str) -> dict[str, Any] | None:
    status, found = await upstream.get(f"/repos/{name}/issues?state=closed&per_page=100")
    if status != 200:
        return None
    _, pulls = await upstream.get(f"/repos/{name}/pulls?state=closed&per_page=100")
    fixes = [pull for pull in pulls if pull["merged_at"]]
    issues = [
        {
            "number": issue["number"],
            "title": issue["title"],
            "body": issue["body"] or "",
            "closedAt": issue["closed_at"],
            "createdAt": issue["created_at"],
            "closedByPullRequestsReferences": {
                "nodes": [
                    await _fix(upstream, name, pull)
                    for pull in fixes
                    if str(issue["number"]) in CLOSES.findall(pull["body"] or "")
                ]
            },
        }
        for issue in found
        if "pull_request" not in issue
    ]
    return {"issues": {"nodes": issues, "pageInfo": {"hasNextPage": False, "endCursor": None}}}


async def _fix(upstream: Upstream, name: str, pull: dict[str, Any]) -> dict[str, Any]:
    base, head = pull["base"]["sha"], pull["head"]["sha"]
    _, compared = await upstream.get(f"/repos/{name}/compare/{base}...{head}")
    return {
        "number": pull["number"],
        "merged": True,
        "mergedAt": pull["merged_at"],
        "mergeCommit": {"oid": pull["merge_commit_sha"]},
        "files": {"nodes": [{"path": file["filename"]} for file in compared["files"]]},
    }
