"""The words that security fixes are written in, and those that say nothing. Pure."""

from __future__ import annotations

import re
from functools import cache

from retrieval.tokens import stem, token_counts

_SECURITY = """
    asan attack backtrack bypass catastroph constant crash csrf cve denial disclos dos escap exploit forg fuzz
    ghsa harden heap hijack inject leak malici oob overflow overread poison pollut privileg prototyp quot redo
    sandbox sanit secur segfault smuggl spoof ssrf tamper timing travers underflow unsaf untrust valgrind vulner
    xss xxe
"""

_SILENT = """
    a affected after all allow allows an and any are as at attacker attackers be been before by can could
    discovered do does earlier fix fixed for found from has have if in into is issue it may not of on or patch
    patched prior remote than that the their there they this through to upgrade use used user users using
    version versions via vulnerabilities vulnerability was when which who with
"""

_CLASSES: tuple[tuple[str, str], ...] = (
    (
        r"xss|cross.site scripting|html injection",
        "xss cross site script escape html sanitize quote attribute tag markup javascript",
    ),
    (r"csrf|cross.site request", "csrf xsrf token referer origin cookie samesite"),
    (
        r"redos|regular expression|regex|catastrophic|backtrack",
        "redos regex regexp regular expression backtracking catastrophic quadratic pattern",
    ),
    (
        r"traversal|symlink|\.\./|zip.slip|outside (?:of )?the",
        "traversal path directory symlink join normalize relative absolute resolve root parent",
    ),
    (r"prototype|pollut", "prototype pollution proto constructor __proto__ merge hasownproperty key"),
    (
        r"smuggl|request splitting|crlf|header injection",
        "smuggling header content length transfer encoding chunked parser newline crlf whitespace strict reject",
    ),
    (
        r"overflow|out.of.bounds|over.?read|buffer|heap|memory corruption|\boob\b",
        "overflow bounds buffer size length check heap integer limit sanitize oob invalid corrupt fuzz",
    ),
    (
        r"null pointer|dereference|segmentation|uninitiali",
        "null pointer dereference check crash segfault uninitialized fuzz",
    ),
    (
        r"denial of service|\bdos\b|exhaustion|infinite loop|memory consumption|recursion|\bhang",
        "dos denial limit maximum max size timeout recursion depth loop exhaustion memory huge large",
    ),
    (
        r"arbitrary code|command injection|code execution|\bshell\b|\beval\b",
        "exec eval command shell inject argument safe unsafe load pickle yaml untrusted subprocess",
    ),
    (
        r"ssrf|server.side request|redirect",
        "redirect url scheme host netloc open slash validate domain",
    ),
    (
        r"disclos|leak|expos|sensitive|credential",
        "leak credentials password authorization header cookie strip remove redirect secret token expose",
    ),
    (
        r"signature|jwt|crypt|key confusion|timing|hmac|certificate|\btls\b|\bssl\b",
        "signature verify algorithm key hmac constant time compare certificate schema",
    ),
    (r"sandbox|restricted|escape", "sandbox restricted attribute format guard underscore inspect frame"),
    (
        r"authoriz|permission|privilege|access control|bypass|authenticat",
        "permission access auth check authentication privilege bypass allow deny protect",
    ),
    (r"xxe|xml external|external entit", "xml entity external resolve dtd expat parser"),
    (r"race condition|temporary file|world.readable", "tmp tempfile permission mode umask race"),
)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split()) | frozenset(words.split())


def security_words(text: str) -> int:
    """Return how many different words of security a text uses."""
    return len(_stems(_SECURITY) & token_counts(text).keys())


def query_terms(text: str) -> dict[str, int]:
    """Return the tokens of a query that say something, with their counts."""
    silent = _stems(_SILENT)
    return {term: count for term, count in token_counts(text).items() if term not in silent and len(term) > 1}


def class_terms(text: str) -> frozenset[str]:
    """Return the tokens that fixes of the kinds of flaw a text names are likely to use."""
    lowered = text.lower()
    named = [words for pattern, words in _CLASSES if re.search(pattern, lowered)]
    return frozenset().union(*map(_stems, named))
