import { requirement } from '@fenced/testing'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'

/** What the tests need of this machine. */
export const bubblewrap = requirement('bubblewrap', await problemOf({}))
export const python = requirement('python', await problemOfPython())
export const resourceLimits = requirement(
  'resource-limits',
  await problemOf({ memoryBytes: 2 ** 27, pids: 50 }),
)
/** What gives programs of root another user. */
export const unprivilegedUser = requirement('unprivileged-user', await problemOfUser())

async function problemOfUser(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'the tests are not run by root'
  if (bubblewrap.missing) return 'there is no bubblewrap'
  const problems: string[] = []
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false })
  await sandbox.start({ onNotice: ({ message }) => problems.push(message) })
  return problems[0]
}

async function problemOf(options: LocalSandboxOptions): Promise<string | undefined> {
  const sandbox = new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false, ...options })
  try {
    await sandbox.start()
    await sandbox.stop()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function problemOfPython(): Promise<string | undefined> {
  await using sandbox = new LocalSandbox()
  await sandbox.start()
  return (await sandbox.which(['python3'])).size === 0 ? 'there is none' : undefined
}
