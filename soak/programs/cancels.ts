// Gives blocks up at random moments, compares each result with the files that its block made, and prints what was untrue.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CodeResult } from '@fenced/core'
import { Random } from '@fenced/testing'
import { executorNamed } from '../executors.ts'

const { subject: name, count, atOnce, seed, setup } = JSON.parse(process.argv[2] ?? '')
const subject = executorNamed(name)
const random = new Random(seed)
const latestCancelMs = 200
/** A program may still reach its last line while it is being stopped. So long before the cancel it was over. */
const overForMs = 5_000

await using stack = new AsyncDisposableStack()
const executor = stack.use(await subject.make(setup, stack))
await executor.execute([{ language: 'python', code: 'kept = 41' }])

const seen = { cancelled: 0, finished: 0, untrue: 0, stateLost: 0 }
let example: string | undefined
/** Files that must not come into being any more. */
const neverMade: string[] = []

for (let first = 0; first < count; first += atOnce) {
  const numbers = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => first + index)
  await Promise.all(numbers.map(giveUp))
  await checkState()
}
// Time for what was not stopped to get to its end.
await sleep(1_000)
for (const path of neverMade) {
  if (existsSync(path)) untrue(`${path} was created after its result`)
}
await stack.disposeAsync()
console.log(JSON.stringify({ ...seen, example }))

/** Every third by leaving the loop, every other one by a signal; many at once leave every second one alone. */
async function giveUp(number: number): Promise<void> {
  const isLeft = number % 3 === 0
  const isCancelled = atOnce === 1 || number % 2 === 0
  const afterMs = random.whole(0, latestCancelMs)
  const controller = new AbortController()
  const execution = executor.execute([{ language: 'python', code: code(number) }], {
    signal: controller.signal,
  })
  let cancelledAt: number | undefined
  const cancel = () => {
    cancelledAt ??= Date.now()
    if (!isLeft) controller.abort()
  }
  // Not a timer: this one is cancelled before anything at all can have begun.
  if (isCancelled && afterMs < 10) cancel()
  else if (isCancelled) setTimeout(cancel, afterMs)
  const isTooEarly = cancelledAt !== undefined && !isLeft
  if (isLeft) {
    for await (const _ of execution) if (cancelledAt !== undefined) break
  }
  check(number, await execution, { cancelledAt, isTooEarly })
}

interface Cancel {
  /** Absent when the block was not cancelled, or ended before. */
  readonly cancelledAt: number | undefined
  /** Whether it was cancelled before it can have begun. */
  readonly isTooEarly: boolean
}

function check(number: number, { status, output }: CodeResult, { cancelledAt, isTooEarly }: Cancel): void {
  const [begun, over] = [marker(number, 'begun'), marker(number, 'over')]
  if (status === 'cancelled') {
    seen.cancelled += 1
    if (cancelledAt === undefined) untrue(`${number} is cancelled without a request`)
    else if (isTooEarly && existsSync(begun)) untrue(`${number} ran, and was cancelled before`)
    else if (!existsSync(over)) neverMade.push(over)
    else if (Number(readFileSync(over, 'utf8')) < cancelledAt - overForMs) untrue(`${number} was over before`)
  } else {
    seen.finished += 1
    if (status !== 'ok') untrue(`${number} is ${status}: ${output}`)
    else if (!existsSync(over)) untrue(`${number} is ok, and never came to its last line`)
  }
}

function marker(number: number, when: string): string {
  return join(executor.workDir ?? '', `${when}-${number}`)
}

function untrue(what: string): void {
  seen.untrue += 1
  example ??= what
}

/** It prints now and then, so that there are events to leave the loop at. */
function code(number: number): string {
  const ticks = random.whole(0, 12)
  return `
import os, time
with open('begun-${number}', 'w'): pass
for _ in range(${ticks}):
    print('tick', flush=True)
    time.sleep(0.02)
with open('new-${number}', 'w') as file: file.write(str(time.time() * 1000))
os.rename('new-${number}', 'over-${number}')
`
}

/** A kernel has its variables still. */
async function checkState(): Promise<void> {
  if (subject.kind !== 'jupyter') return
  const { output } = await executor.execute([
    { language: 'python', code: "print('kept' in globals()); kept = 41" },
  ])
  if (output.trim() !== 'True') seen.stateLost += 1
}
