import { spawnSync } from 'node:child_process'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { requirement } from '@fenced/testing'

/** What the tests need of this machine. */
export const python = requirement('python', problemOf('python3', ['--version']))
/** The interpreter, and not a version manager's stand-in for it. */
export const pythonPath =
  `${spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout ?? ''}`.trim()
export const bubblewrap = requirement(
  'bubblewrap',
  problemOf('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']),
)
/** The right to mount, for a program that sees other mounts than the tests do. */
export const ownMounts = requirement(
  'own-mounts',
  bubblewrap.missing ? 'there is no bubblewrap' : problemOf('unshare', ['--mount', 'true']),
)
export const resourceLimits = requirement('resource-limits', await problemOfLimits())

async function problemOfLimits(): Promise<string | undefined> {
  if (bubblewrap.missing) return 'there is no bubblewrap'
  const limits = { memoryBytes: 2 ** 27, pids: 50 }
  const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', ...limits })
  try {
    await executor.start()
    await executor.stop()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function problemOf(program: string, args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args)
  if (error !== undefined) return `the program ${program} is not there (${error.message})`
  return status === 0 ? undefined : `${program} does not work: ${stderr.toString().trim()}`
}
