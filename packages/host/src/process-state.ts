import { readFileSync } from 'node:fs'

/** What `/proc/PID/stat` (proc_pid_stat(5)) says of a process. */
export interface ProcessState {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** 0 for none. */
  readonly terminal: number
  /** Processor time, in clock ticks. */
  readonly userTicks: number
  readonly systemTicks: number
  /** The same of children that have ended and for which it has waited. */
  readonly childTicks: number
}

/** `undefined` when the process has ended. Linux only. */
export function stateOf(id: string | number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The name of a program, in parentheses, may hold anything.
    const [state = '', ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [parent = 0, group = 0, session = 0, terminal = 0] = numbers.map(Number)
    const [userTicks = 0, systemTicks = 0, userOfChildren = 0, systemOfChildren = 0] = numbers
      .slice(10, 14)
      .map(Number)
    const childTicks = userOfChildren + systemOfChildren
    return { state, parent, group, session, terminal, userTicks, systemTicks, childTicks }
  } catch {
    return undefined
  }
}
