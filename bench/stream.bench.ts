import { type CodeExecutor, executeStream, extractCodeBlocks } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './arguments.ts'
import { beside } from './beside.ts'
import type { Measured } from './compare.ts'
import { spreadOf } from './spread.ts'
import { type Answer, answers, replay } from './stream/answers.ts'
import { interpreterOf } from './warm/interpreter.ts'
import { Peers } from './warm/peers.ts'

/** Returns how long after the last token the result was there, in milliseconds. */
type Way = (answer: Answer) => Promise<number>

/** From the last token of an answer to the result of its code. */
export const streamBench: Bench = async ({ rounds = 30, python, autogen }) => {
  const options = python === undefined ? {} : { python }
  await using executor = new LocalCommandLineCodeExecutor(options)
  await using other = new LocalCommandLineCodeExecutor(options)
  const interpreter = await interpreterOf(executor)
  await interpreterOf(other)
  await using peers = await Peers.open({ autogen, ag2: undefined }, interpreter)
  const ways: Record<string, Way> = {
    stream: (answer) => whileWritten(executor, answer),
    after: (answer) => afterwards(other, answer),
    // Its time is that of the blocks alone.
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
