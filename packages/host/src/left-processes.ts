import { readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { stateOf } from './process-state.ts'

/** A program that has ended. */
export interface EndedRun {
  /** Its number, which is that of its process group and of its session. */
  readonly leader: number
  /** The directory in which it was started. */
  readonly directory: string
  /** Processes that were there before it, by their numbers. */
  readonly older: ReadonlySet<string>
}

/**
 * Whether a process may be left over from a program. In the session of the program, that is a process of another user. Elsewhere it is a process of this
 * user and control group without a mark that began after the program, has lost its parent, has a separate session without a terminal, and
 * works in the directory of the program.
 */
export function mayBeLeft(id: string, run: EndedRun, markName: string): boolean {
  if (run.older.has(id)) return false
  const state = stateOf(id)
  if (state === undefined || ['Z', 'X'].includes(state.state)) return false
  if (state.session === run.leader || state.group === run.leader) return isOutOfReach(Number(id))
  if (state.terminal !== 0 || run.older.has(`${state.session}`)) return false
  return hasFled(id, run.directory, markName) && adopters().has(state.parent)
}

function hasFled(id: string, directory: string, markName: string): boolean {
  try {
    if (statSync(`/proc/${id}`).uid !== process.getuid?.()) return false
    if (readFileSync(`/proc/${id}/environ`, 'latin1').includes(`${markName}=`)) return false
    if (!isBelow(readlinkSync(`/proc/${id}/cwd`), directory)) return false
    return readFileSync(`/proc/${id}/cgroup`, 'latin1') === readFileSync('/proc/self/cgroup', 'latin1')
  } catch {
    // It has ended.
    return false
  }
}

function isBelow(path: string, directory: string): boolean {
  const root = realpathSync.native(directory)
  return root !== sep && (path === root || path.startsWith(root + sep))
}

/** Those that can adopt orphans among the processes of this one: process 1, and what this process was started by. */
function adopters(): Set<number> {
  const found = new Set([1])
  for (let id = stateOf(process.pid)?.parent ?? 0; id > 1; id = stateOf(id)?.parent ?? 0) found.add(id)
  return found
}

/** Whether this user may send it no signal. */
function isOutOfReach(id: number): boolean {
  try {
    return !process.kill(id, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
