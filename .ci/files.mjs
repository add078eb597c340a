// Prints test files of a report: `failed`, those in which something failed; `open`, those of which not every test passed.
import { isDone, readReport } from './reports.mjs'

const [, , which, path, again] = process.argv
for (const [file, result] of readReport(path, again)) {
  const hasFailed = result.failure !== undefined || result.tests.some(({ status }) => status === 'failed')
  if (which === 'failed' ? hasFailed : !isDone(result)) console.log(file)
}
