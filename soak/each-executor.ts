import { type Place, places } from './executors.ts'
import { Realm } from './realm.ts'
import type { Row, SoakOptions } from './row.ts'

const isLinux = process.platform === 'linux'

/** What was seen at one place. */
type Seen = Pick<Row, 'figures' | 'note'> & { readonly asPromised: boolean }

/** Something that is tried at a place, in a realm of its own. */
export interface Trial {
  readonly soak: string
  /** What is tried, where several things are. */
  readonly what?: string
  readonly run: (place: Place, realm: Realm) => Promise<Seen>
}

/** How many trials run at the same time where a part of it is enough. */
const shortWidth = 2

/** A row for each place and trial; what cannot be tried here is a row as well, and so is a trial that fails. */
export async function* eachExecutor(options: SoakOptions, trials: readonly Trial[]): AsyncGenerator<Row> {
  const { executors, setup, short } = options
  const running: Promise<Row>[] = []
  for (const place of places) {
    if (executors.length > 0 && !executors.includes(place.name)) continue
    const problem = isLinux
      ? await place.problem(setup)
      : 'what is left is looked up in /proc, which only Linux has'
    for (const trial of trials) {
      running.push(rowOf(place, trial, problem))
      if (running.length === (short ? shortWidth : 1)) yield* oldest(running)
    }
  }
  while (running.length > 0) yield* oldest(running)
}

async function* oldest(running: Promise<Row>[]): AsyncGenerator<Row> {
  const row = await running.shift()
  if (row !== undefined) yield row
}

async function rowOf(place: Place, { soak, what, run }: Trial, problem: string | undefined): Promise<Row> {
  const row = { soak, tried: what === undefined ? place.name : `${place.name}, ${what}` }
  if (problem !== undefined) return { ...row, figures: {}, note: problem }
  try {
    await using realm = await Realm.make(place)
    return { ...row, ...(await run(place, realm)) }
  } catch (error) {
    return { ...row, figures: {}, asPromised: false, note: `${error}` }
  }
}
