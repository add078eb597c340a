import { CodeBlockScanner, extractCodeBlocks } from '@fenced/core'
import { fromMarkdown } from 'mdast-util-from-markdown'
// @boundaries-ignore the same worst inputs as in the tests, which a published package does not export
import { type WorstInput, worstInputs } from '../packages/markdown/test/worst-inputs.fixture.ts'
import type { Bench } from './measure.ts'
import { compare, type Row, throughput } from './measure.ts'

/**
 * Answers as models write them, up to a size in characters: prose, lists, quotes, tables and code in several
 * languages. The same texts each time.
 */
export function answerCorpus(size: number): readonly string[] {
  const answers: string[] = []
  for (let length = 0, index = 0; length < size; index++) {
    const answer = answerAt(index)
    answers.push(answer)
    length += answer.length
  }
  return answers
}

/** Parts in an order that changes from answer to answer. */
function answerAt(index: number): string {
  const chosen = parts.map((_, place) => parts[(index * 5 + place * 7) % parts.length]?.(index) ?? '')
  return `## Step ${index + 1}: ${subjects[index % subjects.length]}\n\n${chosen.join('\n\n')}\n`
}

const subjects = [
  'reading the measurements',
  'cleaning up the *time series*',
  'a first plot of `demand`',
  'what the model gets wrong',
  'checking it against last year',
]

const fence = '```'

const parts: ReadonlyArray<(index: number) => string> = [
  (
    index,
  ) => `First we read the file and look at the **${index + 3} columns** that matter. The rest of it (identifiers,
free text, a checksum) is left alone: it does not change the result, and [the format](https://example.org/format#v${index})
says nothing about it. If \`pandas\` is not installed, see the note below; nothing here needs more than a few megabytes.`,

  (index) => `${fence}python
import csv
from collections import defaultdict

totals = defaultdict(float)
with open("demand-${index}.csv", newline="") as file:
    for row in csv.DictReader(file):
        # A missing value is an empty string, not a zero.
        if row["demand"]:
            totals[row["region"]] += float(row["demand"])

for region, total in sorted(totals.items()):
    print(f"{region:>12} {total:10.2f}")
${fence}`,

  (index) => `1. Make a directory for the results:

   ${fence}sh
   mkdir -p results/${index} && cd results/${index}
   ls -la | head -n 5
   ${fence}

2. Write down what you expect *before* you look:
   - the total is between 10 and 20,
   - no region is negative:

     ${fence}py
     assert all(total >= 0 for total in totals.values()), "negative demand"
     ${fence}

3. Then compare.`,

  (index) => `> **Note.** The same works without Python. In the browser's console:
>
> ${fence}js
> const rows = document.querySelectorAll('table tr')
> console.log([...rows].map((row) => row.cells[${index % 4}]?.textContent))
> ${fence}
>
> It is slower, but who counts?`,

  (index) => `| region | total | change |
|--------|------:|-------:|
| north  | ${(index * 37) % 101}.4 | +2 % |
| south  | ${(index * 53) % 97}.1 | -1 % |

It prints something like this:

${fence}
       north      ${(index * 37) % 101}.40
       south      ${(index * 53) % 97}.10
${fence}`,

  (index) => `For your README, with the fences as they are:

${fence}\`markdown
# Demand, part ${index}

Run it:

${fence}bash
python totals.py
${fence}
${fence}\``,

  () => `The settings are data, so keep them apart from the program:

~~~json
{ "regions": ["north", "south"], "unit": "GWh", "limits": { "low": 10, "high": 20 } }
~~~

Each key has a meaning: \`unit\` is what the *file* uses, and \`limits\` is what **you** expect. A value beyond them is
not an error; it is a question. Ask it early, because every later step takes the answer for granted.`,

  (index) => `${fence}typescript
interface Total { readonly region: string; readonly total: number }

export function largest(totals: readonly Total[]): Total | undefined {
  return totals.toSorted((a, b) => b.total - a.total)[${index % 3}]
}
${fence}

That is all. Tell me what it prints, and we go on from there!`,
]

const size = 1_000_000
const goalMs = 200

/** How fast code blocks are found in what a model writes, and in the worst that it could write. */
export const extractBench: Bench = async ({ rounds }) => [
  await realAnswers(rounds ?? 10),
  await worstAnswers(rounds ?? 3),
]

/** Answer by answer, because a reference parser needs more than linear time for a long text. */
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
