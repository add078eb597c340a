import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './where-place.ts'

/** The last recorded run of a place. */
export interface Ran {
  readonly version: string
  /** Day of the run, in UTC. */
  readonly date: string
}

const path = join(import.meta.dirname, 'where-ran.json')

/** Recorded run of each place. */
export function recorded(): Readonly<Record<string, Ran>> {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

/** Records a run, if the environment has `FENCED_RECORD_PLACES`. */
export async function record({ name }: Place, versionText: () => Promise<string>): Promise<void> {
  if (!process.env.FENCED_RECORD_PLACES) return
  const text = await versionText()
  const [version] = /\d+\.\d+\.\d+/.exec(text) ?? []
  if (version === undefined) throw new Error(`The place "${name}" printed no version: ${text}`)
  const runs = { ...recorded(), [name]: { version, date: new Date().toISOString().slice(0, 10) } }
  const sorted = Object.fromEntries(Object.entries(runs).sort(([left], [right]) => (left < right ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`)
}
