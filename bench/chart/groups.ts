import type { Row } from '../row.ts'

/** What several did, each with a bar. */
export interface Group {
  readonly title: string
  readonly unit: Row['unit']
  readonly rounds: number
  readonly bars: readonly Bar[]
}

export interface Bar {
  readonly name: string
  readonly kind: 'ours' | 'own' | 'other'
  readonly p50: number
  /** Beside ours. */
  readonly factor?: number
}

/** The rows of each task together, in their order. */
export function groupsOf(rows: readonly Row[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { task, unit, rounds, ours, reference } of rows) {
    if (task === undefined || reference === undefined) continue
    const group = groups.get(task.name) ?? {
      title: task.name,
      unit,
      rounds,
      bars: [{ name: task.ours, kind: 'ours', p50: ours.p50 }],
    }
    const kind = task.reference.startsWith('Fenced') ? 'own' : 'other'
    const bar = { name: task.reference, kind, p50: reference.p50, factor: reference.p50 / ours.p50 } as const
    groups.set(task.name, { ...group, bars: [...group.bars, bar] })
  }
  return [...groups.values()]
}
