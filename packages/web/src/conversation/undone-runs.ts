import { createLanguageTable } from '@fenced/core'
import type { LoggedCodeEvent, LoggedEvent } from '../event.ts'
import { Problem } from '../problem.ts'

/** The runs that an undo undoes. */
interface UndoneRuns {
  /** The run and all later ones, the oldest first. */
  readonly runIds: readonly string[]
  /** Number of their blocks that have run. */
  readonly steps: number
}

/**
 * Returns what is to be undone so that everything is as before a run.
 *
 * @param log - all events of the conversation.
 * @param languages - ids of the languages that its executor runs. Blocks in other languages are saved as files.
 * @throws Problem 404 for a run that is not there, 409 for a run that was undone or ran nothing.
 */
export function runsSince(log: Iterable<LoggedEvent>, run: string, languages: readonly string[]): UndoneRuns {
  const steps = new Map<string, number>()
  let isProgram = false
  for (const { event } of log) {
    if (event.type === 'code-start') steps.set(event.runId, 0)
    if (event.type === 'undo') for (const id of event.runIds) steps.delete(id)
    if (event.type !== 'code') continue
    if (event.event.type === 'block-start') isProgram = languages.includes(idOf(event.event.block.language))
    if (isProgram && hasRun(event.event)) steps.set(event.runId, (steps.get(event.runId) ?? 0) + 1)
  }
  const all = [...steps]
  const since = all.slice(all.findIndex(([id]) => id === run))
  const count = since.reduce((sum, [, number]) => sum + number, 0)
  if (!steps.has(run)) throw new Problem(404, 'There is no such run, or it was undone already.')
  if (count === 0) throw new Problem(409, 'Nothing has run that could be undone.')
  return { runIds: since.map(([id]) => id), steps: count }
}

function hasRun(event: LoggedCodeEvent): boolean {
  return event.type === 'block-end' && !notRun.has(event.status)
}

const notRun: ReadonlySet<string> = new Set(['skipped', 'denied', 'invalid'])

function idOf(language: string): string {
  return createLanguageTable().find(language)?.id ?? language
}
