import { eachExecutor, subjectsOf, type Trial } from './each-executor.ts'
import type { Soak, SoakOptions } from './row.ts'

interface Answer {
  readonly cancelled: number
  readonly finished: number
  readonly untrue: number
  /** What was untrue about one of them. */
  readonly example?: string
  readonly stateLost: number
}

/** Blocks that are given up at random moments, one after the other and many at once. */
export const cancelsSoak: Soak = (options) => {
  const { rounds = options.short ? 105 : 950, short } = options
  const each = Math.ceil(rounds / subjectsOf(options, 'cancels').length)
  return eachExecutor(options, [
    trial('one after the other', { count: each, atOnce: 1 }, options),
    ...(short ? [] : [trial('at once', { count: 100, atOnce: 100 }, options)]),
  ])
}

function trial(what: string, storm: { count: number; atOnce: number }, { seed, setup }: SoakOptions): Trial {
  return {
    soak: 'cancels',
    what,
    run: async (subject, realm) => {
      const program = { subject: subject.name, ...storm, seed, setup }
      const answer = await realm.run<Answer>('cancels.ts', program, 120_000 + storm.count * 5_000)
      const { processes, containers, directories } = await realm.left()
      const { cancelled, finished, untrue, stateLost, example } = answer
      return {
        figures: {
          blocks: storm.count,
          cancelled,
          finished,
          untrue,
          'state lost': subject.kind === 'jupyter' ? stateLost : '',
          processes,
          containers,
          directories,
        },
        asPromised: untrue + stateLost + processes + containers + directories === 0,
        ...(example !== undefined && { note: example }),
      }
    },
  }
}
