import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'

/** A virtual environment with Jupyter, made by packages/executor-jupyter/test/jupyter/make-python. */
export const jupyterEnvironment =
  process.env.FENCED_TEST_JUPYTER || join(tmpdir(), 'fenced-test-without-jupyter')

export const jupyter = requirement(
  'jupyter',
  existsSync(join(jupyterEnvironment, 'bin', 'python'))
    ? undefined
    : (process.env.FENCED_TEST_JUPYTER_PROBLEM ??
        'FENCED_TEST_JUPYTER names no virtual environment with Jupyter'),
)
