import { readFileSync } from 'node:fs'

/** What passed in an earlier run of the same commit, as `.ci/passed.mjs` writes it into the file that `FENCED_TEST_PASSED` names. */
interface Passed {
  /** Files in which every test passed. */
  readonly files: readonly string[]
  /** The full names of tests that passed, by their files. */
  readonly tests: Readonly<Record<string, readonly string[]>>
}

const path = process.env.FENCED_TEST_PASSED

export const passed: Passed =
  path === undefined ? { files: [], tests: {} } : JSON.parse(readFileSync(path, 'utf8'))
