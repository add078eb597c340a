import { eachExecutor } from './each-executor.ts'
import type { Soak } from './row.ts'

interface Answer {
  readonly wrong: number
  /** One of the wrong ones. */
  readonly example?: string
  readonly heapPerThousand: number
  readonly rssPerThousand: number
  readonly descriptors: number
  /** What the descriptors are that were not there before. */
  readonly opened: readonly string[]
  readonly msPerBlock: number
}

/** By how much the heap may grow in 1,000 blocks. */
const heapLimit = 2e6
/** In fewer blocks, what is kept once weighs more than what is kept for each. */
const blocksForHeap = 500

/** Many blocks in one executor, each with a different answer. */
export const blocksSoak: Soak = (options) => {
  const { rounds = options.short ? 40 : 2_000, setup } = options
  const limitMs = 120_000 + rounds * 2_000
  return eachExecutor(options, [
    {
      soak: 'blocks',
      run: async (subject, realm) => {
        const answer = await realm.run<Answer>('blocks.ts', { subject: subject.name, rounds, setup }, limitMs)
        const { processes, containers, directories } = await realm.left()
        const { wrong, descriptors, heapPerThousand } = answer
        const isHeapKept = rounds < blocksForHeap || heapPerThousand <= heapLimit
        return {
          figures: {
            blocks: rounds,
            wrong,
            'heap MB / 1,000': (heapPerThousand / 1e6).toFixed(2),
            'RSS MB / 1,000': (answer.rssPerThousand / 1e6).toFixed(1),
            descriptors,
            processes,
            containers,
            directories,
            'ms / block': answer.msPerBlock.toFixed(1),
          },
          asPromised: isHeapKept && wrong + descriptors + processes + containers + directories === 0,
          note: answer.example ?? (descriptors > 0 ? answer.opened.join(', ') : ''),
        }
      },
    },
  ])
}
