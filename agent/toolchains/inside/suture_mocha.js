'use strict'
// A mocha reporter (any version from 1.x): one JSON object a line to $SUTURE_RESULTS, and TAP lines to people.
const fs = require('fs')

module.exports = function SutureReporter (runner) {
  const path = process.env.SUTURE_RESULTS
  delete process.env.SUTURE_RESULTS
  let number = 0
  let broken = 0

  function write (test, outcome, error) {
    const file = test.file || (test.parent && test.parent.file) || ''
    const relative = file.indexOf('/work/') === 0 ? file.slice(6) : file
    const title = typeof test.fullTitle === 'function' ? test.fullTitle() : String(test.title)
    const id = relative ? relative + '::' + title : title
    if (path) fs.appendFileSync(path, JSON.stringify({ id: id, phase: 'call', outcome: outcome }) + '\n')
    number += 1
    if (error) broken += 1
    const ok = outcome === 'passed' || outcome === 'skipped' ? 'ok ' : 'not ok '
    console.log(ok + number + ' ' + title + (outcome === 'skipped' ? ' # SKIP' : ''))
    if (error) console.log(String(error.stack || error.message || error).replace(/^/gm, '  '))
  }

  runner.on('pass', function (test) { write(test, 'passed') })
  runner.on('pending', function (test) { write(test, 'skipped') })
  runner.on('fail', function (test, error) { write(test, test.type === 'hook' ? 'error' : 'failed', error) })
  runner.on('end', function () {
    console.log('1..' + number)
    if (path) fs.appendFileSync(path, JSON.stringify({ id: '', phase: 'end', outcome: '0' }) + '\n')
    // a failed test may leave a server listening, which would keep the process up to the time limit
    const leave = setTimeout(function () { process.exit(broken ? 1 : 0) }, 5000)
    if (leave.unref) leave.unref()
  })
}
