"""Where the code blocks of a Markdown text are, by a CommonMark parser."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """A fenced or indented block; ``info`` is the first word of the fence."""

    info: str
    code: str
    first_line: int
    end_line: int


def code_blocks(text: str) -> tuple[CodeBlock, ...]:
    """Return the code blocks in their order; line numbers count from 0, the end is excluded."""
    blocks = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in {"fence", "code_block"} and token.map:
            words = token.info.split()
            blocks.append(
                CodeBlock(
                    info=words[0].lower() if words else "",
                    code=token.content,
                    first_line=token.map[0],
                    end_line=token.map[1],
                )
            )
    return tuple(blocks)


def code_line_ranges(text: str) -> list[tuple[int, int]]:
    """Return the line ranges of the code blocks, start included, end excluded."""
    return [(block.first_line, block.end_line) for block in code_blocks(text)]
