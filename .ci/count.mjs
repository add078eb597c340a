// Tells which tests failed and why, which passed only at a second try and which files were slow, and closes with how many
// tests passed, failed and were skipped. A command of the README and the checks count as one test each.
import { readReport } from './reports.mjs'

const exitCodes = new Map(process.argv.slice(2).map((argument) => argument.split('=')))
const bare = readReport('.vitest/bare.json', '.vitest/bare-again.json')
const full = readReport('.vitest/full.json', '.vitest/full-again.json')
// A file that was run in both counts as in the full run, but for what failed in the bare one.
const results = new Map([...bare, ...full])
const failed = [...failuresOf(bare, 'on a bare clone'), ...failuresOf(full, 'with everything there')]
for (const [step, code] of exitCodes) {
  const isExplained = failed.some(({ where }) => step === where)
  if (code !== '0' && !isExplained) failed.push({ where: step, name: `exit code ${code}`, reason: '' })
}
const all = [...results].flatMap(([file, { tests }]) => tests.map((test) => ({ file, ...test })))
const passed = all.filter(({ status }) => status === 'passed')
const unsteady = [bare, full].flatMap((report) =>
  [...report].flatMap(([file, { tests }]) =>
    tests
      .filter(({ status, reason }) => status === 'passed' && reason !== '')
      .map((test) => ({ file, ...test })),
  ),
)
const slowest = [...results].sort(([, one], [, other]) => other.milliseconds - one.milliseconds).slice(0, 15)

console.log('\nThe slowest files:')
for (const [file, { milliseconds }] of slowest)
  console.log(`${(milliseconds / 1_000).toFixed(1).padStart(7)} s  ${file}`)
for (const { file, name, reason } of unsteady)
  console.log(`\nUNSTEADY ${file} > ${name}\n${shortened(reason)}`)
for (const { where, name, reason } of failed) console.log(`\nFAILED ${where}: ${name}\n${shortened(reason)}`)
console.log(`\n${unsteady.length} passed only at a second try.`)
const steps = [...exitCodes].filter(([, code]) => code === '0').length
const skipped = all.filter(({ status }) => status !== 'passed' && status !== 'failed').length
console.log(`${passed.length + steps} passed, ${failed.length} failed, ${skipped} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1

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
