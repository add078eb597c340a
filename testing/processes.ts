import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process on this machine. Its number may be used again after its end, with another start time. */
export interface Process {
  readonly id: string
  readonly parent: string
  readonly startTime: string
  /** Command line, with spaces between the words. */
  readonly command: string
}

/**
 * Command lines of the processes on this machine in which a text occurs, those in containers included. Only Linux
 * tells; elsewhere there seem to be none.
 */
function processesMentioning(text: string): string[] {
  if (process.platform !== 'linux') return []
  return processIds()
    .map((id) => commandLine(id))
    .filter((line) => line.includes(text))
}

/** The same, after the processes had a little time to go: a killed one is gone a moment later. */
export async function processesLeft(text: string): Promise<string[]> {
  for (let round = 0; round < 500 && processesMentioning(text).length > 0; round++) await sleep(20)
  return processesMentioning(text)
}

/** The processes of a session: those with a text as their name or in their command, and the resident Pythons that started these. */
export function sessionProcesses(text: string): Process[] {
  const all = processIds().flatMap((id) => processOf(id))
  const marked = all.filter(({ id, command }) => command.includes(text) || nameOf(id) === text)
  const parents = new Set(marked.map(({ parent }) => parent))
  const keepers = all.filter(({ id, command }) => parents.has(id) && command.includes('fenced_runner'))
  return [...new Set([...marked, ...keepers])]
}

/** Number of the keeper of a session whose processes have a text as their name. */
export function keeperOf(name: string): string {
  const [keeper] = sessionProcesses(name).filter(({ id }) => nameOf(id) !== name)
  if (keeper === undefined) throw new Error(`No session has processes named ${name}.`)
  return keeper.id
}

/** The processes that still run after the limit of a hang. */
export async function stillRunning(processes: readonly Process[]): Promise<Process[]> {
  const alive = () =>
    processes.filter(({ id, startTime }) => processOf(id).some((now) => now.startTime === startTime))
  for (let round = 0; round < 500 && alive().length > 0; round++) await sleep(20)
  return alive()
}

function processIds(): string[] {
  return process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
}

/** Nothing for a process that has ended. */
function processOf(id: string): Process[] {
  try {
    const [state = '', parent = '', ...rest] = readFileSync(`/proc/${id}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' ? [] : [{ id, parent, startTime: rest[17] ?? '', command: commandLine(id) }]
  } catch {
    return []
  }
}

function nameOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
