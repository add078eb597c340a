import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** The browser that tests drive. */
export const chromiumPath = names
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim() ?? '')
  .find((path) => path !== '')

export const chromium = requirement(
  'chromium',
  chromiumPath === undefined ? `none of ${names.join(', ')} is there` : undefined,
)

const { error } = spawnSync('python3', ['--version'])
export const python = requirement('python', error && `python3 cannot be started (${error.message})`)

/** A virtual environment with Jupyter, made by packages/executor-jupyter/test/jupyter/make-python. */
export const jupyterEnvironment = process.env.FENCED_TEST_JUPYTER ?? ''

export const jupyter = requirement(
  'jupyter',
  existsSync(`${jupyterEnvironment}/bin/python`)
    ? undefined
    : (process.env.FENCED_TEST_JUPYTER_PROBLEM ??
        'FENCED_TEST_JUPYTER names no virtual environment with Jupyter'),
)

export const bubblewrap = requirement('bubblewrap', await problemOfBubblewrap())

async function problemOfBubblewrap(): Promise<string | undefined> {
  await using executor = new LocalCommandLineCodeExecutor({
    isolation: 'bubblewrap',
    memoryBytes: false,
    pids: false,
  })
  return await executor.start().then(
    () => undefined,
    ({ message }: Error) => message,
  )
}
