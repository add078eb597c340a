import { beside } from '../beside.ts'
import type { Measured } from '../compare.ts'
import type { Row, Versions } from '../row.ts'
import { threeDigits } from '../three-digits.ts'

export const warmName = 'Fenced, warm'
export const coldName = 'Fenced, cold'

export interface Task {
  readonly task: string
  /** How many blocks it is. Default 1. */
  readonly blocks?: number
  /** What took turns, by name; the warm executor is among them. */
  readonly times: Readonly<Record<string, Measured>>
  /** What the warm one may take. */
  readonly goalMs?: number
  /** What it may take as a share of another's time, by the other's name. */
  readonly goals?: Readonly<Record<string, number>>
  readonly versions: Versions
}

/** The rows of what several did: the warm executor by itself if it has a goal, then beside each of the others. */
export function taskRows({ task, blocks = 1, times, goalMs, goals = {}, versions }: Task): Row[] {
  const { [warmName]: ours, ...others } = times
  if (ours === undefined) return []
  const { p50, p95 } = ours
  const perSecond = (time: Measured) => threeDigits((blocks * 1000) / time.p50)
  const rows: Row[] = []
  if (goalMs !== undefined) {
    rows.push({
      measured: `warm: ${task}`,
      unit: 'ms',
      rounds: ours.times.length,
      ours: { p50, p95 },
      goal: `≤ ${goalMs} ms`,
      met: p50 <= goalMs,
      versions,
    })
  }
  for (const [name, reference] of Object.entries(others)) {
    const goal = goals[name]
    const compared = beside({
      measured: `warm: ${task} ÷ ${name}`,
      ours,
      reference,
      ...(goal === undefined ? {} : { goal }),
    })
    const note =
      blocks > 1 ? { note: `${perSecond(ours)} blocks per second beside ${perSecond(reference)}` } : {}
    const drawn = { task: { name: task, ours: warmName, reference: name }, versions }
    rows.push(...compared.map((row) => ({ ...row, ...note, ...drawn })))
  }
  return rows
}
