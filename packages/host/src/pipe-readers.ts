import { readdirSync, readlinkSync } from 'node:fs'
import { processIds } from './descendant-processes.ts'
import { stateOf } from './process-state.ts'

/**
 * Whether a process group has a process that still works on what it reads: its stdin is a pipe that only such processes can write
 * into, as that of `>(sort > sorted.txt)` is when the program has ended. A background job is no such process (its stdin is
 * empty), and neither is the log of a server that continues to run. A process that has not run since its creation counts: a shell gives
 * `>(sort)` its stdin only then. Linux only: elsewhere there seem to be none.
 */
export function hasPipeReaders(group: number): boolean {
  const ids = processIds().filter((id) => stateOf(id)?.group === group)
  if (ids.some(hasNotRun)) return true
  const members = ids.map(descriptorsOf)
  let readers = members.filter(({ stdin }) => stdin?.startsWith('pipe:'))
  let others = members.filter((member) => !readers.includes(member))
  // Processes that read the output of such a process also continue.
  while (readers.length > 0 && others.length > 0) {
    const fed = readers.filter(({ stdin }) => others.some(({ all }) => all.has(stdin ?? '')))
    readers = readers.filter((reader) => !fed.includes(reader))
    others = fed
  }
  return readers.length > 0
}

interface Descriptors {
  readonly stdin: string | undefined
  readonly all: ReadonlySet<string>
}

/** On a busy machine it waits for a processor, and has used less than a hundredth of a second. */
function hasNotRun(id: string): boolean {
  const { state = '', userTicks, systemTicks } = stateOf(id) ?? {}
  return (state === 'R' || state === 'D') && userTicks === 0 && systemTicks === 0
}

function descriptorsOf(id: string): Descriptors {
  const directory = `/proc/${id}/fd`
  try {
    const links = readdirSync(directory).map((name) => [name, targetOf(`${directory}/${name}`)] as const)
    return {
      stdin: links.find(([name]) => name === '0')?.[1],
      all: new Set(links.map(([, target]) => target)),
    }
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
