import { isDeepStrictEqual } from 'node:util'
import { type CodeBlock, CodeBlockScanner, extractCodeBlocks } from '@fenced/core'
import { Random } from '@fenced/testing'
import fc from 'fast-check'
// @boundaries-ignore the same documents as in the tests, which a published package does not export
import { documents, doubtfulDocuments } from '../packages/markdown/src/extraction/documents.fixture.ts'
// @boundaries-ignore the same worst inputs as in the tests
import { worstInputs } from '../packages/markdown/test/worst-inputs.fixture.ts'
import type { Row, Soak, SoakOptions } from './row.ts'

const documentsAtOnce = 500
const growth = 8
/** How much more processor time a character of a text may take that is {@link growth} times as long: half of a square. */
const costLimit = growth / 2
/** Microseconds of processor time: the clock may tick in steps of some thousand. */
const measurable = 20_000
const sizes = { short: 50_000, long: 200_000 }

/** Random documents whole and in pieces, and the worst ones at two lengths. */
export const documentsSoak: Soak = async function* (options) {
  yield split(options)
  yield linear(options)
}

function split({ rounds, short, seed }: SoakOptions): Row {
  const count = rounds ?? (short ? 3_000 : 80_000)
  const random = new Random(seed)
  let [blockCount, different, thrown] = [0, 0, 0]
  let example: string | undefined
  for (let done = 0; done < count; done += documentsAtOnce) {
    const numRuns = Math.min(documentsAtOnce, count - done)
    for (const text of fc.sample(fc.oneof(documents, doubtfulDocuments), { numRuns, seed: seed + done })) {
      try {
        const whole = extractCodeBlocks(text)
        blockCount += whole.length
        if (isDeepStrictEqual(extractInPieces(text, random), whole)) continue
        different += 1
      } catch {
        thrown += 1
      }
      example ??= JSON.stringify(text)
    }
  }
  return {
    soak: 'documents',
    tried: 'whole and in random pieces',
    figures: { documents: count, blocks: blockCount, different, thrown },
    asPromised: different + thrown === 0,
    ...(example !== undefined && { note: example }),
  }
}

function extractInPieces(text: string, random: Random): readonly CodeBlock[] {
  const scanner = new CodeBlockScanner()
  const blocks: CodeBlock[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + random.whole(1, 12)
    blocks.push(...scanner.push(text.slice(start, end)))
    start = end
  }
  blocks.push(...scanner.end())
  return blocks
}

function linear({ short }: SoakOptions): Row {
  const size = short ? sizes.short : sizes.long
  const costs = worstInputs.map(({ name, build, chunk }) => {
    const [once = 0, longer = 0] = [size, size * growth].map((length) => costOf(build(length), chunk))
    return { name, cost: longer / once }
  })
  const [worst] = costs.toSorted((a, b) => b.cost - a.cost)
  const over = costs.filter(({ cost }) => cost > costLimit)
  return {
    soak: 'documents',
    tried: `worst inputs, ${growth} times as long`,
    figures: { documents: worstInputs.length, 'cost of a character': `× ${worst?.cost.toFixed(2)}` },
    asPromised: over.length === 0,
    note: over.length === 0 ? `at most ${worst?.name}` : over.map(({ name }) => name).join(', '),
  }
}

/** Processor time of a character, which a busy machine does not change much. */
function costOf(text: string, chunk = text.length): number {
  const before = process.cpuUsage()
  let [spent, times] = [0, 0]
  while (spent < measurable) {
    const scanner = new CodeBlockScanner()
    for (let start = 0; start < text.length; start += chunk) scanner.push(text.slice(start, start + chunk))
    scanner.end()
    spent = process.cpuUsage(before).user
    times += 1
  }
  return spent / times / text.length
}
