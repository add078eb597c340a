// Says which tests failed and why, and closes with how many passed, failed and were skipped. A test that failed and
// then passed when its file was run again, alone, counts as passed and is named. The checks count as one test.
import { readFileSync } from 'node:fs'

const [, , firstFile, secondFile, testsCode, checkCode] = process.argv
const first = read(firstFile)
const second = read(secondFile)
const failures = failuresOf(first)
const stillFailing = second === undefined ? failures : failuresOf(second)
const unsteady = failures.filter(({ name }) => !stillFailing.some((failure) => failure.name === name))

for (const { name, reason } of stillFailing) console.log(`FAILED ${name}\n${reason}\n`)
for (const { name, reason } of unsteady) console.log(`UNSTEADY (passed when run again) ${name}\n${reason}\n`)

const checkFailed = checkCode === '0' ? 0 : 1
// A test file that does not even load fails no test of its own.
const testsFailed = testsCode === '0' ? 0 : Math.max(1, stillFailing.length)
const failed = testsFailed + checkFailed
const passed = (first?.numPassedTests ?? 0) + unsteady.length + 1 - checkFailed
console.log(`${passed} passed, ${failed} failed, ${first?.numPendingTests ?? 0} skipped`)
process.exitCode = failed === 0 ? 0 : 1

function failuresOf(results) {
  return (results?.testResults ?? []).flatMap(({ name: file, assertionResults, message }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (assertionResults.length === 0 && message) return [{ name: file, reason: shortened(message) }]
    return failed.map(({ fullName, failureMessages }) => ({
      name: `${file} > ${fullName}`,
      reason: shortened(failureMessages.join('\n')),
    }))
  })
}

function shortened(text) {
  return text.length > 1500 ? `${text.slice(0, 1500)} ...` : text
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
