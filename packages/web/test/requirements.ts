import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/core/testing'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

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
