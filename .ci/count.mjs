// Tells which tests failed and why, which passed only at a second try and which files were slow, and closes with the names
// of what failed and with how many tests passed, failed and were skipped. A command of the README, the soak, the checks and
// what is installed count as one test each.
import { readReport, readSteps } from './reports.mjs'

const exitCodes = new Map(process.argv.slice(2).map((argument) => argument.split('=')))
const bare = readReport('.vitest/bare.json', '.vitest/bare-again.json')
const full = readReport('.vitest/full.json', '.vitest/full-again.json')
const cluster = readReport('.vitest/kubernetes.json', '.vitest/kubernetes-again.json')
const steps = readSteps('.vitest/steps')
// A file that was run in both counts as in the full run, but for what failed in the bare one, and what only that one ran.
const results = new Map(
  [...bare, ...full, ...cluster].map(([file, result]) => [file, withEarlier(result, bare.get(file))]),
)
const failed = [
  ...failuresOf(bare, 'on a bare clone'),
  ...failuresOf(full, 'with everything there'),
  ...failuresOf(cluster, 'on a cluster'),
]
for (const [name, code] of exitCodes) {
  const isExplained = failed.some(({ where }) => name === where)
  if (code !== '0' && !isExplained) failed.push({ where: name, name: `exit code ${code}`, reason: '' })
}
for (const { name, codes, lastWords } of steps)
  if (codes.at(-1) !== '0')
    failed.push({ where: name, name: `exit codes ${codes.join(' and ')}`, reason: lastWords })
const all = [...results].flatMap(([file, { tests }]) => tests.map((test) => ({ file, ...test })))
const passed = all.filter(({ status }) => status === 'passed')
const unsteady = [
  ...unsteadyTests(bare),
  ...unsteadyTests(full),
  ...unsteadyTests(cluster),
  ...unsteadySteps(),
]
const slowest = [...results].sort(([, one], [, other]) => other.milliseconds - one.milliseconds).slice(0, 15)

console.log('\nThe slowest files:')
for (const [file, { milliseconds }] of slowest)
  console.log(`${(milliseconds / 1_000).toFixed(1).padStart(7)} s  ${file}`)
for (const { name, reason } of unsteady)
  console.log(`\nUNSTEADY, passed only at a second try: ${name}\n${shortened(reason)}`)
for (const { where, name, reason } of failed)
  console.log(`\nWhy ${where} failed: ${name}\n${shortened(reason)}`)
console.log('')
for (const { name } of unsteady) console.log(`UNSTEADY ${name}`)
for (const { where, name } of failed) console.log(`FAILED ${where}: ${name}`)
console.log(`\n${unsteady.length} passed only at a second try.`)
const passedSteps = [...exitCodes.values(), ...steps.map(({ codes }) => codes.at(-1))].filter(
  (code) => code === '0',
)
const skipped = all.filter(isSkipped).length
console.log(`${passed.length + passedSteps.length} passed, ${failed.length} failed, ${skipped} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1

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

function unsteadyTests(report) {
  return [...report].flatMap(([file, { tests }]) =>
    tests
      .filter(({ status, reason }) => status === 'passed' && reason !== '')
      .map(({ name, reason }) => ({ name: `${file} > ${name}`, reason })),
  )
}

function unsteadySteps() {
  return steps
    .filter(({ codes }) => codes.length > 1 && codes.at(-1) === '0')
    .map(({ name, codes }) => ({ name, reason: `It failed with exit code ${codes[0]}: see its log above.` }))
}

function shortened(text) {
  const own = text
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .join('\n')
  return own.length > 1_500 ? `${own.slice(0, 1_500)} ...` : own
}
