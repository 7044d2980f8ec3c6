"""Oracles in JavaScript: a preamble that watches and reads when the process ends, and the snippet."""

from __future__ import annotations

import re
from typing import Final

from agent.oracles.classes import Kind, OracleClass
from agent.oracles.payloads import MARKER, OUTSIDE, aimed_at_marker, aimed_outside

_WATCHERS: Final = {
    Kind.PROTOTYPE: """
  const roots = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  const entry = (root) => (key) => [key, Object.getOwnPropertyDescriptor(root, key)];
  const entries = (root) => Reflect.ownKeys(root).map(entry(root));
  const known = new Map(roots.map((root) => [root, new Map(entries(root))]));
  const differs = (now, old) => !old || now.value !== old.value || now.get !== old.get;
  const changed = (root) => entries(root).some(([key, now]) => differs(now, known.get(root).get(key)));
  const seen = () => roots.some(changed);
""",
    Kind.COMMAND: f"""
  const fs = load('fs');
  const seen = () => fs.existsSync('{MARKER}');
""",
    Kind.CODE: f"""
  const fs = load('fs');
  const child = load('child_' + 'process');
  let started = false;
  for (const name of ['exec', 'execSync', 'spawn', 'spawnSync', 'execFile', 'execFileSync', 'fork']) {{
    const real = child[name];
    child[name] = function (...given) {{ started = true; return real.apply(this, given); }};
  }}
  const seen = () => started || fs.existsSync('{MARKER}');
""",
    Kind.OUTSIDE: f"""
  const fs = load('fs');
  const path = load('path');
  const secret = '{OUTSIDE}';
  fs.mkdirSync(path.dirname(secret), {{ recursive: true }});
  fs.writeFileSync(secret, 'outside');
  let touched = false;
  const look = (value) => {{
    if (typeof value === 'string' && path.resolve(value) === secret) touched = true;
    if (value instanceof URL && value.pathname === secret) touched = true;
  }};
  const reads = ['open', 'readFile'];
  const writes = ['writeFile', 'appendFile', 'unlink', 'rm', 'chmod', 'rename', 'copyFile', 'truncate', 'link'];
  const both = [...reads, ...writes].flatMap((name) => [name, name + 'Sync']);
  const watched = (real) => function (...given) {{
    given.slice(0, 2).forEach(look);
    return real.apply(this, given);
  }};
  for (const holder of [fs, fs.promises]) {{
    for (const name of [...both, 'createReadStream', 'createWriteStream']) {{
      if (typeof holder[name] === 'function') holder[name] = watched(holder[name]);
    }}
  }}
  const seen = () => touched;
""",
    Kind.TIME: """
  let late = false;
  const seen = () => late;
  const limit = 5000;
  const run = (body) => {
    globalThis.suture = { body, require };
    try {
      load('vm').runInThisContext('(' + body + ')(suture.require)', { timeout: limit });
    } catch (error) {
      const deep = error instanceof RangeError && /call stack/.test(error.message);
      if (!deep && (!error || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw error;
      late = true;
    }
  };
  globalThis.sutureRun = run;
""",
    Kind.MARKUP: r"""
  let page = '';
  const write = process.stdout.write;
  process.stdout.write = function (text, ...rest) { page += text; return write.call(this, text, ...rest); };
  const active = /<scr[i]pt\b|<[a-z][^>]*[\s\/"']on[a-z]+\s*=|(?:href|src)\s*=\s*["']?\s*javascr[i]pt\s*:/i;
  const seen = () => active.test(page);
""",
}
_HEAD: Final = """{{
  const load = process.getBuiltinModule || require;
{watcher}
  const misused = (error) => error instanceof TypeError && /is not a|Cannot read|undefined/.test(error.message);
  const absent = (error) => /^ERR_|MODULE_NOT_FOUND/.test(String(error && error.code));
  const unwritten = (error) => error instanceof SyntaxError || error instanceof ReferenceError;
  const fault = (error) => unwritten(error) || absent(error) || misused(error);
  let failure;
  process.on('uncaughtException', (error) => {{ failure = failure || error; }});
  process.on('exit', () => {{
    if (failure) console.error('ended by', failure && failure.name);
    process.exitCode = seen() ? 0 : fault(failure) ? 2 : {end};
  }});
}}
"""
_TESTS: Final = """
{
  const cases = [];
  const hooks = { before: [], beforeEach: [], after: [], afterEach: [] };
  const self = { timeout() {}, slow() {} };
  const called = (body) => new Promise((ok, no) => body.call(self, (error) => error ? no(error) : ok()));
  const ended = (body) => body.length ? called(body) : body.call(self);
  const group = (name, body) => body.call(self);
  const single = (name, body) => { if (typeof body === 'function') cases.push([name, body]); };
  globalThis.describe = globalThis.context = globalThis.suite = group;
  globalThis.it = globalThis.test = globalThis.specify = single;
  for (const holder of [globalThis.it, globalThis.describe]) { holder.only = holder; holder.skip = () => {}; }
  for (const name of Object.keys(hooks)) globalThis[name] = (body) => hooks[name].push(body);
  globalThis.beforeAll = globalThis.before;
  globalThis.afterAll = globalThis.after;
  const all = async (list) => { for (const body of list) await ended(body); };
  const asserted = (error) => error && (error.code === 'ERR_ASSERTION' || /Assert/.test(error.name));
  setImmediate(async () => {
    let failed = 0, broken = 0, passed = 0;
    try {
      await all(hooks.before);
      for (const [name, body] of cases) {
        try {
          await all(hooks.beforeEach);
          await ended(body);
          passed += 1;
        } catch (error) {
          console.error(name, 'failed:', error && error.message);
          if (asserted(error)) failed += 1; else broken += 1;
        }
        await all(hooks.afterEach);
      }
      await all(hooks.after);
    } catch (error) {
      console.error(error && error.message);
      broken += 1;
    }
    process.exit(failed ? 0 : passed && !broken ? 1 : 2);
  });
}
"""


def wrapped(snippet: str, known: OracleClass) -> str | None:
    """Return the snippet below the oracle's preamble, None for a form the oracle cannot run."""
    if known.kind is Kind.COMMAND:
        snippet = aimed_at_marker(snippet, "javascript")
    elif known.kind is Kind.OUTSIDE:
        snippet = aimed_outside(snippet, "javascript")
    head = _HEAD.format(watcher=_WATCHERS[known.kind].strip("\n"), end=1 if known.armed else 2)
    if known.kind is not Kind.TIME:
        return head + snippet
    if re.search(r"^[ \t]*(?:import|export)\s|\bawait\b", snippet, re.MULTILINE):
        return None  # a module cannot be run under a time limit of its own
    return f"{head}sutureRun(function (require) {{\n{snippet}\n}});\n"


def as_test_program(snippet: str) -> str:
    """Return a test as a program: a failed assertion is the flaw, all passed is safe, anything else neither."""
    return _TESTS.lstrip("\n") + snippet
