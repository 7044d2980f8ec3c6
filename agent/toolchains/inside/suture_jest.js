'use strict'
// A jest reporter: one JSON object a test to $SUTURE_RESULTS as soon as its file is done.
const fs = require('fs')
const path = process.env.SUTURE_RESULTS

function write (id, phase, outcome) {
  if (path) fs.appendFileSync(path, JSON.stringify({ id: id, phase: phase, outcome: outcome }) + '\n')
}

module.exports = class SutureReporter {
  onTestResult (test, result) {
    const file = String(result.testFilePath || test.path || '').replace(/^\/work\//, '')
    if (result.testExecError || (result.failureMessage && !result.testResults.length)) write(file, 'collect', 'error')
    for (const one of result.testResults) {
      const outcome = { passed: 'passed', failed: 'failed' }[one.status] || 'skipped'
      write(file + '::' + one.fullName, 'call', outcome)
    }
  }

  onRunComplete () { write('', 'end', '0') }
}
