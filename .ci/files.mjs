// Prints test files of a report: `failed`, those in which something failed; `open`, those of which not every test passed;
// `passed`, as JSON, by their files, the names of tests that passed, as `testing/runner.ts` reads them.
import { isDone, readReport } from './reports.mjs'

const [, , which, path, again] = process.argv
const report = readReport(path, again)
if (which === 'passed') {
  console.log(
    JSON.stringify(Object.fromEntries([...report].map(([file, { tests }]) => [file, passedNames(tests)]))),
  )
} else {
  for (const [file, result] of report) {
    const hasFailed = result.failure !== undefined || result.tests.some(({ status }) => status === 'failed')
    if (which === 'failed' ? hasFailed : !isDone(result)) console.log(file)
  }
}

/** Of several tests with the same name each has to have passed. */
function passedNames(tests) {
  const others = new Set(tests.filter(({ status }) => status !== 'passed').map(({ name }) => name))
  return [...new Set(tests.map(({ name }) => name))]
    .filter((name) => !others.has(name))
    .map((name) => name.replaceAll(' > ', ' '))
}
