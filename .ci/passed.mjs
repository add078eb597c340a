// Prints, as JSON, what a later run need not try again: files of a report in which every test passed, and by their files the
// names of the other tests that did. `testing/passed.ts` reads it.
import { isDone, readReport } from './reports.mjs'

const report = readReport(process.argv[2])
const files = [...report].filter(([, result]) => isDone(result)).map(([file]) => file)
const tests = Object.fromEntries([...report].map(([file, { tests }]) => [file, passedNames(tests)]))
console.log(JSON.stringify({ files, tests }))

/** Of several tests with the same name each has to have passed. */
function passedNames(tests) {
  const others = new Set(tests.filter(({ status }) => status !== 'passed').map(({ name }) => name))
  return [...new Set(tests.map(({ name }) => name))]
    .filter((name) => !others.has(name))
    .map((name) => name.replaceAll(' > ', ' '))
}
