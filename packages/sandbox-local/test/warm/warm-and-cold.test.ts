import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LocalExecutorOptions } from '../local-executor.ts'
import { bubblewrap, python } from '../requirements.ts'
import { StartsCompared } from './compare-starts.ts'
import { exits } from './programs/exits.ts'
import { failures } from './programs/failures.ts'
import { identity } from './programs/identity.ts'
import { processes } from './programs/processes.ts'
import { regression } from './programs/regression.ts'
import { shutdown } from './programs/shutdown.ts'
import { standardLibrary } from './programs/standard-library.ts'
import { streamPrograms } from './programs/streams.ts'
import { everyProgram, isInSample } from './sample.ts'

const chapters = { exits, failures, identity, streamPrograms, shutdown, processes, standardLibrary }

/** As many as Vitest runs at once. Most programs only wait. */
const lanes = 5

/** A hang, not a speed: some of the interpreter's own tests compute for seconds, several of them at once. */
const timeout = 240_000

const chosen = process.env.FENCED_TEST_PYTHON === undefined ? {} : { python: process.env.FENCED_TEST_PYTHON }

/** By the names of programs: why a fork in bubblewrap does not do the same. */
const differentInBubblewrap: Readonly<Record<string, string>> = {
  'os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid()': 'only a fork has a session of its own there',
  'a session of its own already': 'the same',
  'a process group': 'a program that was started shares its group with bubblewrap, which such a signal ends',
  'a child that writes after the end': 'bubblewrap ends what a program that was started leaves, at once',
}

interface Comparison {
  readonly how: string
  readonly options: LocalExecutorOptions
  /** Whether every program is compared, or only those that have to do with streams and the end. */
  readonly isWhole: boolean
}

const comparisons: readonly Comparison[] = [
  { how: 'as blocks have it', options: {}, isWhole: true },
  { how: 'with buffered streams', options: { env: { PYTHONUNBUFFERED: '' } }, isWhole: false },
  {
    how: 'in bubblewrap',
    options: { isolation: 'bubblewrap', allowSharedWorkDir: true },
    isWhole: true,
  },
]

const rows = rowTags({
  all: ['in bubblewrap > '],
  nightly: [
    'with buffered streams > ',
    ...['failures', 'identity', 'standardLibrary', 'regression', 'shutdown', 'streamPrograms'].map(
      (chapter) => `in bubblewrap > ${chapter} > `,
    ),
  ],
})

describe
  .skipIf(python.missing)
  .each(comparisons.filter(({ options }) => options.isolation === undefined || !bubblewrap.missing))(
  'a fork does what a new interpreter does, $how',
  rows,
  ({ options, isWhole }) => {
    const free: StartsCompared[] = []
    beforeAll(async () => {
      for (let lane = 0; lane < lanes; lane++) free.push(await StartsCompared.open({ ...chosen, ...options }))
    })
    afterAll(async () => {
      for (const lane of free) await lane[Symbol.asyncDispose]()
    })

    const all = isWhole ? { ...chapters, regression } : { exits, streamPrograms, shutdown }
    for (const [chapter, programs] of Object.entries(all)) {
      describe.concurrent(chapter, () => {
        for (const [index, program] of programs.entries()) {
          const name = program.name.replaceAll('\n', '⏎')
          const isDifferent = options.isolation === 'bubblewrap' && name in differentInBubblewrap
          it.skipIf(isDifferent || (everyProgram.missing && !isInSample(index)))(
            name,
            { timeout },
            async () => {
              const lane = await take(free)
              try {
                const { cold, warm } = await lane.run(program)
                expect(warm).toEqual(cold)
              } finally {
                free.push(lane)
              }
            },
          )
        }
      })
    }
  },
)

async function take(free: StartsCompared[]): Promise<StartsCompared> {
  for (;;) {
    const lane = free.pop()
    if (lane !== undefined) return lane
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
