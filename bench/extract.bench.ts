import { CodeBlockScanner, extractCodeBlocks } from '@fenced/core'
import { fromMarkdown } from 'mdast-util-from-markdown'
// @boundaries-ignore the same worst inputs as in the tests, which a published package does not export
import { type WorstInput, worstInputs } from '../packages/core/src/markdown/worst-inputs.fixture.ts'
import { answerCorpus } from './answer-corpus.ts'
import type { Bench } from './arguments.ts'
import { compare } from './compare.ts'
import { type Row, throughput } from './row.ts'

const size = 1_000_000
const goalMs = 200

/** How fast code blocks are found in what a model writes, and in the worst that it could write. */
export const extractBench: Bench = async ({ rounds }) => [
  await realAnswers(rounds ?? 10),
  await worstAnswers(rounds ?? 3),
]

/** Answer by answer, as they come: a reference parser needs more than linear time for a long text. */
async function realAnswers(rounds: number): Promise<Row> {
  const answers = answerCorpus(size)
  const byteCount = answers.reduce((sum, answer) => sum + Buffer.byteLength(answer), 0)
  let blockCount = 0
  const { extracted, parsed } = await compare({
    rounds,
    contenders: {
      extracted: () => {
        blockCount = answers.reduce((sum, answer) => sum + extractCodeBlocks(answer).length, 0)
      },
      parsed: () => {
        for (const answer of answers) fromMarkdown(answer)
      },
    },
  })
  return {
    measured: 'extraction from 1 MB of answers ÷ mdast-util-from-markdown',
    unit: 'MB/s',
    rounds,
    ours: throughput(extracted, byteCount),
    reference: throughput(parsed, byteCount),
    ratio: extracted.p50 / parsed.p50,
    note: `${answers.length} answers, ${blockCount} blocks`,
  }
}

async function worstAnswers(rounds: number): Promise<Row> {
  const measured = []
  for (const input of worstInputs) {
    const { scanned } = await compare({ rounds, warmUpRounds: 1, contenders: { scanned: scanner(input) } })
    measured.push({ name: input.name, spread: scanned })
  }
  const tooSlow = measured.filter(({ spread }) => spread.p50 >= goalMs).length
  const [slowest] = measured.sort((a, b) => b.spread.p50 - a.spread.p50)
  if (slowest === undefined) throw new Error('There are no worst inputs.')
  return {
    measured: `extraction from 1 MB, the slowest of ${worstInputs.length} worst inputs`,
    unit: 'ms',
    rounds,
    ours: { p50: slowest.spread.p50, p95: slowest.spread.p95 },
    goal: `< ${goalMs} ms`,
    met: slowest.spread.p50 < goalMs,
    note: `${slowest.name}${tooSlow > 1 ? `, and ${tooSlow - 1} more that miss the goal` : ''}`,
  }
}

function scanner({ build, chunk }: WorstInput): () => void {
  const text = build(size)
  const step = chunk ?? text.length
  return () => {
    const scanner = new CodeBlockScanner()
    for (let start = 0; start < text.length; start += step) scanner.push(text.slice(start, start + step))
    scanner.end()
  }
}
