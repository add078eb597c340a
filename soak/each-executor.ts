import { type Subject, subjects } from './executors.ts'
import { Realm } from './realm.ts'
import type { Row, SoakOptions } from './row.ts'

const isLinux = process.platform === 'linux'

/** What was seen of one executor. */
type Seen = Pick<Row, 'figures' | 'note'> & { readonly asPromised: boolean }

/** An experiment with an executor, in a separate realm. */
export interface Trial {
  readonly soak: string
  /** What is tried, where several things are. */
  readonly what?: string
  readonly run: (subject: Subject, realm: Realm) => Promise<Seen>
}

/** How many trials run at the same time where a part of it is enough. */
const shortWidth = 2

/** The executors that a soak tries. */
export function subjectsOf({ executors, short }: SoakOptions, soak: string): readonly Subject[] {
  if (executors.length > 0) return subjects.filter(({ name }) => executors.includes(name))
  return subjects.filter(({ shortSoaks }) => !short || shortSoaks?.includes(soak) !== false)
}

/** A row for each executor and trial; what cannot be tried here is a row as well, and so is a trial that fails. */
export async function* eachExecutor(options: SoakOptions, trials: readonly Trial[]): AsyncGenerator<Row> {
  const { setup, short } = options
  const running: Promise<Row>[] = []
  for (const subject of subjectsOf(options, trials[0]?.soak ?? '')) {
    const problem = isLinux
      ? await subject.problem(setup)
      : 'what is left is looked up in /proc, which only Linux has'
    for (const trial of trials) {
      running.push(rowOf(subject, trial, problem))
      if (running.length === (short ? shortWidth : 1)) yield* oldest(running)
    }
  }
  while (running.length > 0) yield* oldest(running)
}

async function* oldest(running: Promise<Row>[]): AsyncGenerator<Row> {
  const row = await running.shift()
  if (row !== undefined) yield row
}

async function rowOf(
  subject: Subject,
  { soak, what, run }: Trial,
  problem: string | undefined,
): Promise<Row> {
  const row = { soak, tried: what === undefined ? subject.name : `${subject.name}, ${what}` }
  if (problem !== undefined) return { ...row, figures: {}, note: problem }
  try {
    await using realm = await Realm.make(subject)
    return { ...row, ...(await run(subject, realm)) }
  } catch (error) {
    return { ...row, figures: {}, asPromised: false, note: `${error}` }
  }
}
