import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { formatOwner, isOwnerGone, parseOwner, thisOwner } from '@fenced/shared'
import { mayBeLeft } from './left-processes.ts'
import { stateOf } from './process-state.ts'

/** The variable that every process of a run has. */
export const markName = 'FENCED_RUN_ID'

/**
 * Begins every mark of this copy of the module. Each thread of a process has a copy, and so has each installed version: their
 * programs have one owner, and end at different times.
 */
export const markPrefix = randomUUID().slice(0, 8)

/**
 * Environment variable that every descendant of a run inherits. It identifies the run and the process that the run belongs to.
 */
export type ProcessMark = Readonly<Record<typeof markName, string>>

/**
 * Finds processes from a run that left its process group (`setsid`), by a mark in their environment. Only processes that started
 * after this object was created are found. Linux only; on other systems, nothing is found. A process that cleared its environment
 * is never found.
 */
export class DescendantProcesses {
  /** Mark to add to the run's environment. */
  readonly mark: ProcessMark
  readonly #older = new Set(processIds())

  constructor(mark: ProcessMark = { [markName]: `${newRunId()}@${formatOwner(thisOwner())}` }) {
    this.mark = mark
  }

  /** Kills the processes, including any that they start in the meantime. */
  kill(): void {
    this.#kill()
  }

  /**
   * Kills the processes of a program that has ended, including everything in its session.
   *
   * @param leader - The program's process ID.
   * @param directory - Directory in which the program was started.
   * @returns Whether any of them may still exist.
   */
  endRun(leader: number, directory: string): boolean {
    const others = this.#kill(leader)
    const run = { leader, directory, older: this.#older }
    return others.some((id) => mayBeLeft(id, run, markName))
  }

  #kill(session?: number): string[] {
    const mark = `${markName}=${this.mark[markName]}`
    const isOurs = (id: string) =>
      readEnvironment(id).includes(mark) || (session !== undefined && stateOf(id)?.session === session)
    return killAll((id) => !this.#older.has(id) && isOurs(id))
  }
}

function newRunId(): string {
  return `${markPrefix}${randomUUID().slice(8)}`
}

/**
 * Finds descendants that start from now on below a process that adopts its orphaned descendants. They are found through their
 * parents, even if they cleared their environment. Linux only; on other systems, nothing is found.
 */
export function watchDescendantsOf(ancestor: number): { kill(): void } {
  const older = new Set(processIds())
  return { kill: () => void killAll((id) => !older.has(id) && isBelow(ancestor, Number(id))) }
}

/** Returns the children of a process, in the order in which it acquired them. Linux only; on other systems, the list is empty. */
export function childrenOf(parent: number): number[] {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    // Not every kernel has this file.
    return processIds()
      .map(Number)
      .filter((id) => parentOf(id) === parent)
  }
}

/** Returns the processes that still exist after the last kill. */
function killAll(isOurs: (id: string) => boolean): string[] {
  let ids: string[] = []
  const killOnce = () => {
    ids = processIds()
    return ids.filter((id) => isOurs(id) && killQuietly(Number(id))).length > 0
  }
  // A process that forks in a loop is found again. The bound stops the search when it forks faster.
  for (let round = 0; round < 50 && killOnce(); round++);
  return ids
}

function isBelow(ancestor: number, id: number): boolean {
  for (let parent = parentOf(id); parent !== undefined && parent > 1; parent = parentOf(parent)) {
    if (parent === ancestor) return true
  }
  return false
}

function parentOf(id: number): number | undefined {
  return stateOf(id)?.parent
}

/** A started program, as far as its processes can be found by it. */
export interface ProcessRoot {
  readonly processId: number | undefined
  /**
   * Mark in the environment of its processes.
   *
   * @default only its descendants and the processes of its session are found
   */
  readonly mark?: ProcessMark | undefined
}

/**
 * Returns the programs' processes that are running: they, their descendants, their sessions, and processes with their marks. Linux only; on
 * other systems, the list is empty.
 */
export function findProcesses(roots: readonly ProcessRoot[]): number[] {
  const leaders = new Set(roots.flatMap(({ processId }) => processId ?? []))
  const marks = roots.flatMap(({ mark }) => (mark === undefined ? [] : `${markName}=${mark[markName]}`))
  if (leaders.size === 0) return []
  const states = new Map(processIds().map((id) => [Number(id), stateOf(id)]))
  const isFound = (id: number): boolean => {
    const state = states.get(id)
    if (leaders.has(id)) return true
    if (state === undefined || id <= 1) return false
    return leaders.has(state.session) || isFound(state.parent)
  }
  const isMarked = (id: number): boolean => {
    const environment = marks.length === 0 ? '' : readEnvironment(`${id}`)
    return marks.some((mark) => environment.includes(mark))
  }
  const isRunning = (id: number) => !['Z', 'X', undefined].includes(states.get(id)?.state)
  return [...states.keys()].filter((id) => isRunning(id) && (isFound(id) || isMarked(id)))
}

let leftoversEnded: Promise<void> | undefined

/**
 * Kills processes from runs whose host process died without stopping them (SIGKILL, a crash). Does this once per process, for
 * this user's processes that still carry the mark, with their descendants. Linux only. Never rejects.
 */
export function endLeftoverProcesses(): Promise<void> {
  leftoversEnded ??= endLeftovers().catch(() => {})
  return leftoversEnded
}

async function endLeftovers(): Promise<void> {
  for (let round = 0; round < 50; round++) {
    let found = false
    for (const [index, id] of processIds().entries()) {
      // Ended processes and those of other users have no environment.
      if (isLeft(readEnvironment(id))) found = killTree(Number(id)) || found
      // A machine may have thousands.
      if (index % 50 === 49) await setImmediate()
    }
    if (!found) return
  }
}

function isLeft(environment: string): boolean {
  const text = ownerPattern.exec(environment)?.[1]
  // What the same host started as this process is no more left than we are.
  if (text === undefined || process.env[markName]?.endsWith(`@${text}`)) return false
  const owner = parseOwner(text)
  return owner !== undefined && isOwnerGone(owner)
}

const ownerPattern = new RegExp(`(?:^|\\0)${markName}=[0-9a-f-]{36}@([^\\0]*)`)

function readEnvironment(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, 'latin1')
  } catch {
    // It has ended, or it is another user's.
    return ''
  }
}

/** Linux only: elsewhere there are none. */
export function processIds(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((name) => name >= '0' && name <= '9:')
}

/** Descendants may lack the mark. None of them can start another process, or be left by its parent, once it is stopped. */
function killTree(root: number): boolean {
  const tree = [root]
  for (const id of tree) if (signalQuietly(id, 'SIGSTOP')) tree.push(...childrenOf(id))
  return tree.filter(killQuietly).length > 0
}

function killQuietly(id: number): boolean {
  return signalQuietly(id, 'SIGKILL')
}

function signalQuietly(id: number, signal: 'SIGKILL' | 'SIGSTOP'): boolean {
  try {
    return process.kill(id, signal)
  } catch {
    return false
  }
}
