// Reports failed tests with the reason, and slow files. Ends with the names of failed tests, and the number of passed, failed and skipped
// tests. A command of the README, the soak, the checks and what is installed count as one
// test each. A failure of the quarantine list is shown and fails nothing. The files with failures go into `.vitest/red.json`.
import { writeFileSync } from 'node:fs'
import { readQuarantine } from './quarantine.mjs'
import { readReport, readSteps } from './reports.mjs'

const exitCodes = new Map(process.argv.slice(2).map((argument) => argument.split('=')))
const bare = readReport('.vitest/bare.json')
const full = readReport('.vitest/full.json')
const cluster = readReport('.vitest/kubernetes.json')
const steps = readSteps('.vitest/steps')
// A file that was run in both counts as in the full run, but for what failed in the bare one, and what only that one ran.
const results = new Map(
  [...bare, ...full, ...cluster].map(([file, result]) => [file, withEarlier(result, bare.get(file))]),
)
const { rows: quarantined, problems } = readQuarantine()
const all = [...results].flatMap(([file, { tests }]) => tests.map((test) => ({ file, ...test })))
const failedTests = [
  ...failuresOf(bare, 'on a bare clone'),
  ...failuresOf(full, 'with everything there'),
  ...failuresOf(cluster, 'on a cluster'),
]
const isQuarantined = ({ name }) => quarantined.some(({ test }) => name === test)
const failed = [
  ...failedTests.filter((failure) => !isQuarantined(failure)),
  ...problems.map((reason) => ({ where: 'the quarantine list', name: reason, reason: '' })),
]
for (const [name, code] of exitCodes) {
  const isExplained = failedTests.some(({ where }) => name === where)
  if (code !== '0' && !isExplained) failed.push({ where: name, name: `exit code ${code}`, reason: '' })
}
for (const { name, code, lastWords } of steps)
  if (code !== '0') failed.push({ where: name, name: `exit code ${code}`, reason: lastWords })
const passed = all.filter(({ status }) => status === 'passed')
const slowest = [...results].sort(([, one], [, other]) => other.milliseconds - one.milliseconds).slice(0, 15)

console.log('\nThe slowest files:')
for (const [file, { milliseconds }] of slowest)
  console.log(`${(milliseconds / 1_000).toFixed(1).padStart(7)} s  ${file}`)
for (const { test, reason, until } of quarantined) {
  const outcome = failedTests.some(({ name }) => name === test) ? 'failed' : 'did not fail'
  console.log(`\nQUARANTINED until ${until}, ${outcome}: ${test}\n${reason}`)
}
for (const { where, name, reason } of failed)
  console.log(`\nWhy ${where} failed: ${name}\n${shortened(reason)}`)
console.log('')
for (const { where, name } of failed) console.log(`FAILED ${where}: ${name}`)
const passedSteps = [...exitCodes.values(), ...steps.map(({ code }) => code)].filter((code) => code === '0')
const skipped = all.filter(isSkipped).length
console.log(`${passed.length + passedSteps.length} passed, ${failed.length} failed, ${skipped} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1
// With which the next nightly run begins.
const redFiles = failed.map(({ name }) => name.split(' > ', 1)[0]).filter((file) => file.endsWith('.test.ts'))
writeFileSync('.vitest/red.json', JSON.stringify([...new Set(redFiles)]))

/** A test that is skipped in the full run may have passed in the bare one: each compares other programs. */
function withEarlier(result, earlier) {
  const passed = new Set(earlier?.tests.filter(({ status }) => status === 'passed').map(({ name }) => name))
  const tests = result.tests.map((test) =>
    isSkipped(test) && passed.has(test.name) ? { ...test, status: 'passed' } : test,
  )
  return { ...result, tests }
}

function isSkipped({ status }) {
  return status !== 'passed' && status !== 'failed'
}

function failuresOf(report, where) {
  return [...report].flatMap(([file, { tests, failure }]) => [
    ...(failure === undefined ? [] : [{ where, name: file, reason: failure }]),
    ...tests
      .filter(({ status }) => status === 'failed')
      .map(({ name, reason }) => ({ where, name: `${file} > ${name}`, reason })),
  ])
}

function shortened(text) {
  const own = text
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .join('\n')
  return own.length > 1_500 ? `${own.slice(0, 1_500)} ...` : own
}
