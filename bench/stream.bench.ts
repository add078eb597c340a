import { type CodeExecutor, executeStream, extractCodeBlocks } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './measure.ts'
import { beside, type Measured, spreadOf } from './measure.ts'
import { interpreterOf, Peers } from './peers.ts'

/** An answer of a model, and how fast it was written. */
export interface Answer {
  readonly text: string
  readonly tokensPerSecond: number
}

const fence = '```'

/** Answers as models write them: most end with a sentence about their code, some with the code, some have two programs. */
export function answers(count: number, hasData: boolean): Answer[] {
  return Array.from({ length: count }, (_, index) => {
    const own = hasData ? [...programs, ...dataPrograms] : programs
    const program = (offset: number) =>
      `${fence}python\n${own[(index * 7 + offset * 3) % own.length]}\n${fence}`
    const parts = [before[index % before.length], program(0)]
    if (index % 5 === 0) parts.push(between[index % between.length], program(1))
    if (index % 5 < 3) parts.push(after[index % after.length])
    return { text: `${parts.join('\n\n')}\n`, tokensPerSecond: 30 + ((index * 37) % 71) }
  })
}

/** Characters of a token, as providers count English and code. */
const tokenLength = 4
/** What was written earlier than this long before the end is given at once, in milliseconds. */
const replayedMs = 3_000

/** The end of an answer at its speed. */
export async function* replay(
  { text, tokensPerSecond }: Answer,
  onLast: () => void,
): AsyncGenerator<string, undefined, undefined> {
  const startedAt = performance.now()
  const replayed = Math.ceil((replayedMs / 1000) * tokensPerSecond) * tokenLength
  const first = Math.max(0, text.length - replayed)
  if (first > 0) yield text.slice(0, first)
  for (let at = first; at < text.length; at += tokenLength) {
    const dueAt = startedAt + (((at - first) / tokenLength) * 1000) / tokensPerSecond
    const early = dueAt - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    if (at + tokenLength >= text.length) onLast()
    yield text.slice(at, at + tokenLength)
  }
}

const before = [
  'Let me compute that step by step. First the numbers, then what they mean:',
  "Here's a short program that reads the values and prints a summary.",
  'I will check this by running it, because guessing at an average is a good way to be wrong. The data is small enough to stand in the program itself:',
  'Sure! We can use the standard library for this.',
]

const between = [
  'That gives us the totals. Now the same for each group, so that we can see where the difference comes from:',
  'With this in hand, the second step is a comparison with what we expected:',
]

const after = [
  'This prints the result for each item. If a value looks off, check the input first: a missing number is read as zero.',
  'The program takes the values, drops the outliers and prints the mean.',
  "Let me know what it prints, and I'll go on from there. If you want the figures per month instead of per week, change the key in the loop; everything else stays the same.",
]

const programs = [
  `import statistics
values = [12.1, 11.8, 13.4, 12.9, 55.0, 12.3]
median = statistics.median(values)
kept = [value for value in values if abs(value - median) < 10]
print(f"mean {statistics.mean(kept):.2f} of {len(kept)}")`,
  `import json
orders = json.loads('[{"item": "tea", "n": 3}, {"item": "milk", "n": 1}, {"item": "tea", "n": 2}]')
totals = {}
for order in orders:
    totals[order["item"]] = totals.get(order["item"], 0) + order["n"]
for item, n in sorted(totals.items()):
    print(f"{item:>6} {n}")`,
  `from datetime import date, timedelta
start = date(2026, 1, 1)
fridays = [start + timedelta(days=n) for n in range(365) if (start + timedelta(days=n)).weekday() == 4]
print(len(fridays), fridays[0].isoformat(), fridays[-1].isoformat())`,
  `def primes(limit):
    sieve = bytearray([1]) * (limit + 1)
    for number in range(2, int(limit ** 0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = bytes(len(range(number * number, limit + 1, number)))
    return [number for number in range(2, limit + 1) if sieve[number]]

found = primes(100_000)
print(len(found), found[-1])`,
  `import re
from collections import Counter
text = "the quick brown fox jumps over the lazy dog and the cat"
words = re.findall(r"[a-z]+", text.lower())
for word, count in Counter(words).most_common(3):
    print(word, count)`,
  `import csv, io
table = """region,demand
north,12.5
south,7.25
north,3
"""
rows = list(csv.DictReader(io.StringIO(table)))
print(sum(float(row["demand"]) for row in rows if row["region"] == "north"))`,
  `from fractions import Fraction
total = sum(Fraction(1, n) for n in range(1, 30))
print(total, float(total))`,
  `import math
for n in (10, 100, 1000):
    print(n, math.log10(math.factorial(n)))`,
]

const dataPrograms = [
  `import numpy as np
generator = np.random.default_rng(7)
samples = generator.normal(10, 2, 10_000)
print(samples.mean().round(3), np.percentile(samples, 95).round(3))`,
  `import pandas as pd
frame = pd.DataFrame({"group": ["a", "b", "a"], "value": [1, 2, 3]})
print(frame.groupby("group").value.sum())`,
]

/** Returns how long after the last token the result was there, in milliseconds. */
type Way = (answer: Answer) => Promise<number>

/** From the last token of an answer to the result of its code. */
export const streamBench: Bench = async ({ rounds = 100, python, autogen }) => {
  const options = python === undefined ? {} : { python }
  await using executor = new LocalCommandLineCodeExecutor(options)
  await using other = new LocalCommandLineCodeExecutor(options)
  const interpreter = await interpreterOf(executor)
  await interpreterOf(other)
  await using peers = await Peers.open({ autogen, ag2: undefined }, interpreter)
  const ways: Record<string, Way> = {
    stream: (answer) => whileWritten(executor, answer),
    after: (answer) => afterwards(other, answer),
    // Measures only the blocks.
    ...(autogen === undefined ? {} : { autogen: (answer) => peers.runAll(programsOf(answer)) }),
  }
  const times = await measure(ways, answers(rounds, python !== undefined))
  const measured = 'last token to result, each block as its fence closes'
  return [
    ...beside({ measured: `${measured} ÷ after the answer`, ours: times.stream, reference: times.after }),
    ...beside({ measured: `${measured} ÷ AutoGen`, ours: times.stream, reference: times.autogen }),
  ]
}

async function measure(
  ways: Readonly<Record<string, Way>>,
  all: readonly Answer[],
): Promise<Record<string, Measured>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (const answer of all) {
    for (const [name, way] of Object.entries(ways)) times[name]?.push(await way(answer))
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, figures]) => [name, { ...spreadOf(figures), times: figures }]),
  )
}

function programsOf({ text }: Answer): string[] {
  return extractCodeBlocks(text).map(({ code }) => code)
}

async function whileWritten(executor: CodeExecutor, answer: Answer): Promise<number> {
  let lastAt = 0
  const text = replay(answer, () => {
    lastAt = performance.now()
  })
  const { exitCode, output } = await executeStream(executor, text)
  const took = performance.now() - lastAt
  if (exitCode !== 0) throw new Error(`The code of an answer failed:\n${answer.text}\n${output}`)
  return took
}

async function afterwards(executor: CodeExecutor, answer: Answer): Promise<number> {
  let text = ''
  for await (const piece of replay(answer, () => {})) text += piece
  const lastAt = performance.now()
  await executor.execute(extractCodeBlocks(text))
  return performance.now() - lastAt
}
