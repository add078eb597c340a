// Prints how many tests passed, failed and were skipped, and fails when anything did. The checks count as one test.
import { readFileSync } from 'node:fs'

const [, , resultsFile, testsCode, checkCode] = process.argv
const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = read(resultsFile)

const checkFailed = checkCode === '0' ? 0 : 1
// A test file that does not even load fails no test of its own.
const testsFailed = testsCode === '0' ? 0 : Math.max(1, numFailedTests)
const failed = testsFailed + checkFailed
console.log(`${numPassedTests + 1 - checkFailed} passed, ${failed} failed, ${numPendingTests} skipped`)
process.exitCode = failed === 0 ? 0 : 1

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
