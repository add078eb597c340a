import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { processIds } from './descendant-processes.ts'
import { stateOf } from './process-state.ts'

/**
 * Whether a process group has a process that still works on what it reads: its stdin is a pipe, or a socket as Node gives to a child,
 * that only such processes can write into, as that of `>(sort > sorted.txt)` is when the program has ended. A background job is no such
 * process (its stdin is empty), and neither is the log of a server that continues to run. A process that has not run since its creation
 * counts: a shell gives `>(sort)` its stdin only then. Linux only: elsewhere there seem to be none.
 */
export function hasPipeReaders(group: number): boolean {
  const ids = processIds().filter((id) => stateOf(id)?.group === group)
  if (ids.some(hasNotRun)) return true
  const members = ids.map(descriptorsOf)
  let readers = members.filter(({ stdin }) => stdin !== undefined)
  let others = members.filter((member) => !readers.includes(member))
  // Processes that read the output of such a process also continue.
  while (readers.length > 0 && others.length > 0) {
    const fed = readers.filter((reader) => others.some((other) => mayFeed(other, reader)))
    readers = readers.filter((reader) => !fed.includes(reader))
    others = fed
  }
  return readers.length > 0
}

interface Descriptors {
  /** Undefined if stdin is neither a pipe nor a socket. */
  readonly stdin: string | undefined
  readonly all: ReadonlySet<string>
}

/** The two ends of a socket have different numbers, so each socket that the reader does not have may be the other end. */
function mayFeed({ all }: Descriptors, { stdin = '', all: own }: Descriptors): boolean {
  if (!isSocket(stdin)) return all.has(stdin)
  return [...all].some((target) => isSocket(target) && !own.has(target))
}

function isSocket(target: string): boolean {
  return target.startsWith('socket:')
}

/** On a busy machine it waits for a processor, and has used less than a hundredth of a second. */
function hasNotRun(id: string): boolean {
  const { state = '', userTicks, systemTicks } = stateOf(id) ?? {}
  return (state === 'R' || state === 'D') && userTicks === 0 && systemTicks === 0
}

function descriptorsOf(id: string): Descriptors {
  const directory = `/proc/${id}/fd`
  try {
    const all = new Set(readdirSync(directory).map((name) => targetOf(`${directory}/${name}`)))
    const stdin = statSync(`${directory}/0`, { throwIfNoEntry: false })
    return { stdin: stdin?.isFIFO() || stdin?.isSocket() ? targetOf(`${directory}/0`) : undefined, all }
  } catch {
    // It has ended, or it is another user's.
    return { stdin: undefined, all: new Set() }
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
