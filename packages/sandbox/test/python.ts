import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/testing'

const command = process.env.FENCED_TEST_PYTHON ?? 'python3'
const { status, stdout, error } = spawnSync(command, ['-c', 'import sys; print(sys.executable)'])

/** The interpreter, and not a version manager's stand-in for it. */
export const pythonPath = `${stdout ?? ''}`.trim()

export const python = requirement(
  'python',
  status === 0
    ? undefined
    : `the program ${command} does not work (${error?.message ?? `exit code ${status}`})`,
)
