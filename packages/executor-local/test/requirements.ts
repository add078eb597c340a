import { spawnSync } from 'node:child_process'
import { requirement } from '@fenced/core/testing'

/** What the tests need of this machine. */
export const python = requirement('python', problemOf('python3', ['--version']))
export const bubblewrap = requirement(
  'bubblewrap',
  problemOf('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']),
)

function problemOf(program: string, args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args)
  if (error !== undefined) return `the program ${program} is not there (${error.message})`
  return status === 0 ? undefined : `${program} does not work: ${stderr.toString().trim()}`
}
