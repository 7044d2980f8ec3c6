"""Oracles in JavaScript: a preamble that watches and reads when the process ends, and the snippet."""

from __future__ import annotations

import re
from typing import Final

from agent.oracles.classes import Kind, OracleClass
from agent.oracles.payloads import MARKER, OUTSIDE, aimed_at_marker, aimed_outside

_WATCHERS: Final = {
    Kind.PROTOTYPE: """
  const roots = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
  const known = roots.map((root) => new Map(Reflect.ownKeys(root).map((key) => [key, Object.getOwnPropertyDescriptor(root, key)])));
  const differs = (a, b) => !b || a.value !== b.value || a.get !== b.get;
  const seen = () => roots.some((root, index) => Reflect.ownKeys(root).some((key) => differs(Object.getOwnPropertyDescriptor(root, key), known[index].get(key))));
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
  const names = ['open', 'readFile', 'writeFile', 'appendFile', 'unlink', 'rm', 'chmod', 'rename', 'copyFile', 'truncate', 'symlink', 'link'];
  for (const holder of [fs, fs.promises]) {{
    for (const name of [...names, ...names.map((one) => one + 'Sync'), 'createReadStream', 'createWriteStream']) {{
      const real = holder[name];
      if (typeof real === 'function') holder[name] = function (...given) {{ given.slice(0, 2).forEach(look); return real.apply(this, given); }};
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
      if (error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') late = true; else if (error instanceof RangeError && /call stack/.test(error.message)) late = true; else throw error;
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
  const fault = (error) => error instanceof SyntaxError || error instanceof ReferenceError || /^ERR_|MODULE_NOT_FOUND/.test(String(error && error.code)) || (error instanceof TypeError && /is not a|Cannot read|undefined/.test(error.message));
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
  const ended = (body) => body.length ? new Promise((ok, no) => body.call({ timeout() {}, slow() {} }, (error) => error ? no(error) : ok())) : body.call({ timeout() {}, slow() {} });
  globalThis.describe = globalThis.context = globalThis.suite = (name, body) => body.call({ timeout() {}, slow() {} });
  globalThis.it = globalThis.test = globalThis.specify = (name, body) => { if (typeof body === 'function') cases.push([name, body]); };
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
    if re.search(r"^\s*(?:import|export)\s|\bawait\b", snippet, re.MULTILINE):
        return None  # a module cannot be run under a time limit of its own
    return f"{head}sutureRun(function (require) {{\n{snippet}\n}});\n"


def as_test_program(snippet: str) -> str:
    """Return a test as a program: a failed assertion is the flaw, all passed is safe, anything else neither."""
    return _TESTS.lstrip("\n") + snippet
