import { randomBytes } from 'node:crypto'
import type { ToolOutput } from '@fenced/core/tool'
import { raceTimeout } from '@fenced/shared'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ClientSandboxes } from './client-sandboxes.ts'
import { limitedResult } from './result-limits.ts'
import type { RunningCall } from './running-call.ts'
import { failure } from './tool-sandboxes.ts'

/** How long the result of a run that outlived its call is kept after its end, in milliseconds. */
const keptMs = 600_000
/** The largest result that is kept with its pictures, in characters. */
const mostKept = 2 ** 20

/** A program that runs, also after its call was answered. */
export class Run {
  /** A random id, because `get_run` and `cancel_run` require nothing else. */
  readonly id = `run-${randomBytes(16).toString('hex')}`
  readonly running: RunningCall
  /** Its output so far. */
  last: ToolOutput | undefined
  readonly #begun = Promise.withResolvers<void>()

  constructor(running: RunningCall) {
    this.running = running
  }

  /** Resolves when the program has a sandbox. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  begin(): void {
    this.#begun.resolve()
  }
}

interface KeptRun {
  readonly run: Run
  readonly end: Promise<CallToolResult>
}

/** Programs that outlived their calls, for all connections of a process. */
export class Runs {
  readonly #answerMs: number | undefined
  readonly #kept = new Map<string, KeptRun>()

  /**
   * @param limits - how long a call waits for the end of a run, and a run lasts at most, in milliseconds. A run that ends by then
   * is answered with its end.
   */
  constructor({
    callTimeoutMs,
    programTimeoutMs,
  }: Pick<ClientSandboxes, 'callTimeoutMs' | 'programTimeoutMs'>) {
    this.#answerMs = callTimeoutMs < programTimeoutMs ? callTimeoutMs : undefined
  }

  /** Answers the call that began a run: with its end, or that it still runs. Then only its time limit and `cancel_run` stop it. */
  async answer(run: Run, end: Promise<CallToolResult>): Promise<CallToolResult> {
    const result = await this.#inTime(end)
    if (result !== 'late') return result
    // The wait for a sandbox has a limit, and says what is in the way.
    const first = await Promise.race([end, run.begun])
    if (first !== undefined) return first
    run.running.detach()
    this.#keep({ run, end: withoutPictures(end) })
    return stillRunning(run)
  }

  /** Answers a call about a run. @param cancels - whether it stops the run. */
  async wait(id: string, { cancels }: { readonly cancels: boolean }): Promise<CallToolResult> {
    const kept = this.#kept.get(id)
    if (kept === undefined)
      return failure('There is no such run. The result of a run is kept for 10 minutes after its end.')
    if (cancels) kept.run.running.cancel()
    const result = await this.#inTime(kept.end)
    return result === 'late' ? stillRunning(kept.run) : result
  }

  async #inTime(end: Promise<CallToolResult>): Promise<CallToolResult | 'late'> {
    return this.#answerMs === undefined ? await end : await raceTimeout(end, this.#answerMs)
  }

  #keep(kept: KeptRun): void {
    const { id } = kept.run
    this.#kept.set(id, kept)
    void kept.end.then(() => setTimeout(() => this.#kept.delete(id), keptMs).unref())
  }
}

async function withoutPictures(end: Promise<CallToolResult>): Promise<CallToolResult> {
  const result = await end.catch(() => failure('The run failed, and its end is not known.'))
  if (JSON.stringify(result).length <= mostKept) return result
  const text = 'Pictures are left out: the result is kept up to 1 MiB. Let the program write them to files.'
  const others = result.content.filter(({ type }) => type !== 'image')
  return { ...result, content: [...others, { type: 'text', text }] }
}

/** Of a program that has printed nothing. */
const nothingYet: ToolOutput = {
  status: 'running',
  success: false,
  output: '',
  droppedBytes: 0,
  files: [],
  notices: [],
}

function stillRunning({ id, last }: Run): CallToolResult {
  const { pictures: _, ...output } = last ?? nothingYet
  const advice = `The program is still running. Wait for its end with \`get_run\`, or stop it with \`cancel_run\`: ${id}`
  const parts = output.output === '' ? [advice] : [output.output, advice]
  return {
    content: parts.map((text) => ({ type: 'text' as const, text })),
    structuredContent: { ...limitedResult(output), run: id },
  }
}
