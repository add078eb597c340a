// What a run left behind: vitest's JSON reports, by the path of each test file inside of the repository, and its steps.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export function readReport(path) {
  const files = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : []
  return new Map(files.map((file) => [inRepository(file.name), resultOf(file)]))
}

/** Whether all tests of a file ran and passed, but for those whose name says why they never run here. */
export function isDone({ tests, failure }) {
  return failure === undefined && tests.every(({ name, status }) => status === 'passed' || isLeftOut(name))
}

/** Whether a suite never runs this test for its subject. Other skipped tests may lack a requirement. */
function isLeftOut(name) {
  return /\((?:skipped|not asked): .+\)$/s.test(name)
}

/** The steps that `steps.sh` ran: the exit code of each, and how its log ends. */
export function readSteps(directory) {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.code'))
    .map((file) => {
      const name = basename(file, '.code')
      const code = readFileSync(join(directory, file), 'utf8').trim()
      const log = readFileSync(join(directory, `${name}.log`), 'utf8')
      return { name, code, lastWords: log.trimEnd().split('\n').slice(-15).join('\n') }
    })
}

/** Reports of a clone have another root. */
function inRepository(path) {
  const found = /(?:packages|apps|shared|examples|testing|tests)\/.*/.exec(path)?.[0]
  // A path outside of the checkout would make the next run search all that is beside it.
  if (found === undefined) throw new Error(`A test file is in no folder that .ci/reports.mjs knows: ${path}`)
  return found
}

function resultOf({ assertionResults, status, message, startTime, endTime }) {
  const tests = assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
    name: fullName,
    status,
    reason: failureMessages.join('\n'),
  }))
  // A file that does not load, or whose hook fails, has no failed test.
  const isUnexplained = status === 'failed' && !tests.some((test) => test.status === 'failed')
  const failure = isUnexplained ? message || 'a hook failed' : undefined
  return { tests, failure, milliseconds: endTime - startTime }
}
