'use strict'
// Reduces the coverage that V8 left in the folder argv[2] to lines: "f PATH" when a function of the file ran,
// "m PATH" when only its top level did; with $SUTURE_FUNCTIONS set also "d LINE PATH" for each function that ran.
const fs = require('fs')
const ROOT = 'file:///work/'
const lines = new Set()
const sources = new Map()

function lineAt (path, offset) {
  if (!sources.has(path)) {
    try { sources.set(path, fs.readFileSync('/work/' + path, 'utf8')) } catch (error) { sources.set(path, '') }
  }
  return sources.get(path).slice(0, offset).split('\n').length
}

for (const name of fs.existsSync(process.argv[2]) ? fs.readdirSync(process.argv[2]) : []) {
  let report
  try { report = JSON.parse(fs.readFileSync(process.argv[2] + '/' + name, 'utf8')) } catch (error) { continue }
  for (const script of report.result || []) {
    if (script.url.indexOf(ROOT) !== 0 || script.url.indexOf('/node_modules/') >= 0) continue
    const ran = script.functions.slice(1).some(one => one.ranges.length > 0 && one.ranges[0].count > 0)
    const path = decodeURIComponent(script.url.slice(ROOT.length))
    for (const one of process.env.SUTURE_FUNCTIONS ? script.functions.slice(1) : []) {
      if (one.ranges.length > 0 && one.ranges[0].count > 0) lines.add('d ' + lineAt(path, one.ranges[0].startOffset) + ' ' + path)
    }
    lines.add((ran ? 'f ' : 'm ') + path)
  }
}
fs.writeFileSync(process.argv[3], Array.from(lines).join('\n') + '\n')
