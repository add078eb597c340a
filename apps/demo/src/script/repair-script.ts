import { readBundled } from './bundled.ts'
import type { Version } from './script.ts'

/** What the scripted model says while it repairs a program. */
export interface RepairScript {
  /** In order; all but the last fail. */
  readonly programs: readonly string[]
  /** For each that fails, what is to be done about it. */
  readonly plans: readonly string[]
  readonly outcome: string
}

export async function readRepairScript(version: Version): Promise<RepairScript> {
  const read = (names: readonly string[]) =>
    Promise.all(names.map((name) => readBundled(`repair/${version}/${name}.md`)))
  const [programs, plans, [outcome = '']] = await Promise.all([
    read(['1-program', '2-program', '3-program']),
    read(['1-plan', '2-plan']),
    read(['outcome']),
  ])
  return { programs, plans, outcome }
}

/** The task that the script is about. */
export function readRepairTask(): Promise<string> {
  return readBundled('repair/task.md')
}
