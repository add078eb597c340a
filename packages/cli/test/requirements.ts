import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'

const { error } = spawnSync('python3', ['--version'])
const { FENCED_TEST_JUPYTER = '/not/named', FENCED_TEST_JUPYTER_PROBLEM } = process.env

/** The Python of a virtual environment with Jupyter, made by packages/executor-jupyter/test/jupyter/make-python. */
export const jupyterPython = join(FENCED_TEST_JUPYTER, 'bin/python')

/** What the tests need of this machine. */
export const python = requirement('python', error && `python3 cannot be started (${error.message})`)
export const bubblewrap = requirement('bubblewrap', failureOf('bwrap', ['--ro-bind', '/', '/', 'true']))
/** The image that packages/executor-docker makes for the tests. */
export const image = 'fenced-test/python'
export const docker = requirement('docker', failureOf('docker', ['image', 'inspect', image]))
export const jupyter = requirement(
  'jupyter',
  existsSync(jupyterPython)
    ? undefined
    : (FENCED_TEST_JUPYTER_PROBLEM ?? 'FENCED_TEST_JUPYTER names no virtual environment with Jupyter'),
)

function failureOf(program: string, args: readonly string[]): string | undefined {
  const { error: missing, status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return missing?.message ?? (status === 0 ? undefined : stderr)
}
