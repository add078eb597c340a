import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import { definedOptions, onAbort } from '@fenced/shared'
import type { Ask } from './approval/ask.ts'
import { type AskOptions, askOptionNames } from './approval/ask-options.ts'
import { askedRun, notRun } from './approval/asked-run.ts'
import { byKind, isAsk, wrongAsk } from './approval/asker.ts'
import {
  type AsksAboutCode,
  aboutOf,
  askingOf,
  asksAboutCode,
  executeAbout,
} from './approval/asks-about-code.ts'
import { CodeQuestions } from './approval/code-questions.ts'
import { installRequest } from './approval/install-request.ts'
import type { CodeExecutor, ExecuteOptions } from './code-executor.ts'
import { cancelledText } from './engine/call/end-of-blocks.ts'
import { RunningExecution } from './engine/call/running-execution.ts'
import type { EventQueue } from './engine/output/event-queue.ts'
import { newRedactor, redactorOf } from './engine/output/redactor-of.ts'
import { askedAction } from './engine/sandbox/asked-action.ts'
import { askingSandbox } from './engine/sandbox/asking-sandbox.ts'
import type { Execution } from './execution.ts'
import { checkBlocks } from './options/check-blocks.ts'
import { knownOptions } from './options/known-options.ts'
import { bytesOfOutput } from './running/exact-output.ts'
import { type JoinableRuns, joinRuns, joinRunsOf } from './running/runs-of.ts'
import type { ExecutorSandbox } from './sandbox/sandbox.ts'
import type { PythonSession } from './session/python-session.ts'
import type { CodeResult } from './vocabulary/code-result.ts'
import type { StartOptions } from './vocabulary/start-options.ts'

/** Options for {@link askingExecutor}: {@link AskOptions} without `ask`. */
export type AskingExecutorOptions = Omit<AskOptions, 'ask'>

const { ask: _, ...optionNames } = askOptionNames

/**
 * Returns an executor that asks before every `execute` call and runs exactly what was approved, for an executor that was created
 * without `ask`, also of a third party. See {@link AskOptions.ask}.
 *
 * An `ask` in a call of `execute` replaces it for the kinds that the call names. About code, both must allow the programs; so must the
 * executor's own `ask`. An executor of a third party asks about kinds other than `code` only if its `execute` uses the option `ask`. Cancelling the execution or stopping the executor withdraws the question. `start`, `restart` and `stop` are passed
 * through.
 *
 * @throws FencedError `INVALID_OPTIONS` for an unknown option, and if `ask` has the wrong shape, or has functions by kind but none
 *   for `code`.
 * @example
 * ```ts
 * const careful = askingExecutor(executor, {
 *   code: ({ blocks }) => (blocks.some(({ code }) => code.includes('rm')) ? 'deny' : 'allow'),
 *   network: ({ host }) => (host === 'pypi.org' ? 'allow' : 'deny'),
 * })
 * ```
 */
export function askingExecutor(
  executor: CodeExecutor,
  ask: Ask,
  options: AskingExecutorOptions = {},
): CodeExecutor {
  const given = knownOptions(options, optionNames, 'askingExecutor()')
  if (byKind(ask).code !== undefined) return new AskingExecutor(executor, { ...given, ask })
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: '`ask` has no function for the kind `code`. Add one, or use the executor itself.',
    data: { option: 'ask', kind: 'code' },
  })
}

/** Returns an executor whose `execute` asks about code where a call has `ask`: itself, or one around it where it is of a third party. */
export function askable(executor: CodeExecutor): CodeExecutor {
  return askingOf(executor) === undefined ? new AskingExecutor(executor) : executor
}

/** A call whose question the executor inside does not ask. */
interface OuterCall {
  readonly blocks: readonly CodeBlock[]
  readonly options: ExecuteOptions
  /** Who decides about the code. */
  readonly decides: AskOptions
  /** Options for the executor inside. */
  readonly inner: ExecuteOptions
  readonly controller: AbortController
}

class AskingExecutor implements CodeExecutor, JoinableRuns {
  readonly #executor: CodeExecutor
  readonly #own: AskOptions
  readonly #questions: CodeQuestions
  readonly #running = new Set<AbortController>()

  constructor(executor: CodeExecutor, own: AskOptions = {}) {
    this.#executor = executor
    this.#own = own
    this.#questions = new CodeQuestions(this, own)
  }

  get [asksAboutCode](): AsksAboutCode {
    return this.#own.ask === undefined ? 'in a call' : 'always'
  }

  get name(): string {
    return this.#executor.name
  }

  get capabilities(): CodeExecutor['capabilities'] {
    return this.#executor.capabilities
  }

  get workDir(): string | undefined {
    return this.#executor.workDir
  }

  get session(): PythonSession | undefined {
    return this.#executor.session
  }

  get sandbox(): ExecutorSandbox | undefined {
    const { sandbox } = this.#executor
    if (sandbox === undefined || this.#own.ask === undefined) return sandbox
    return askingSandbox(sandbox, { executor: this, asking: () => this.#questions.asking() })
  }

  get installPackages(): CodeExecutor['installPackages'] {
    const { installPackages } = this.#executor
    if (installPackages === undefined) return undefined
    return async (packages, options) => {
      const asking = this.#questions.asking()
      // The caller may change its list while the question is open.
      const wanted = [...packages]
      await askedAction({
        ...{ executor: this, asking, isAsked: asking.asker.has('install'), signal: options?.signal },
        request: installRequest(this, { packages: wanted }),
        make: (signal) => installPackages.call(this.#executor, wanted, { ...options, signal }),
      })
    }
  }

  [newRedactor](): ReturnType<typeof redactorOf> {
    return redactorOf(this.#executor)
  }

  [joinRuns](run: AbortController): Disposable {
    const inner = joinRunsOf(this.#executor, run)
    this.#running.add(run)
    return {
      [Symbol.dispose]: () => {
        this.#running.delete(run)
        inner?.[Symbol.dispose]()
      },
    }
  }

  execute(blocks: readonly CodeBlock[], options: ExecuteOptions = {}): Execution {
    if (options.ask !== undefined && !isAsk(options.ask))
      return new RunningExecution(
        () => Promise.reject(wrongAsk()),
        () => {},
      )
    const { asker, ledger, remembered, agent } = this.#questions.asking()
    const given = byKind(options.ask ?? {})
    const ask = { ...asker.kinds, ...definedOptions(given) }
    if (given.code === undefined && askingOf(this.#executor) === 'in a call') {
      const own = { askTimeoutMs: this.#own.askTimeoutMs, ledger, remembered, agent }
      const about = aboutOf(options)
      return executeAbout(this.#executor, blocks, { ...own, ...definedOptions(options), ask, about })
    }
    const isOwn = this.#own.ask !== undefined
    const call: OuterCall = {
      blocks,
      options,
      decides: { ...options, ask: isOwn ? undefined : options.ask },
      inner: { ...options, ask: { ...ask, code: isOwn ? given.code : undefined } },
      controller: new AbortController(),
    }
    return new RunningExecution(
      (events) => this.#askFirst(call, events),
      (reason) => call.controller.abort(reason),
    )
  }

  start(options?: StartOptions): Promise<void> {
    return this.#executor.start(options)
  }

  restart(): Promise<void> {
    this.#cancel()
    return this.#executor.restart()
  }

  stop(): Promise<void> {
    this.#cancel()
    return this.#executor.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Asks, and then calls an executor that does not know the question. It may begin programs at any time after the call. */
  async #askFirst(
    { options, decides, inner, controller, ...given }: OuterCall,
    events: EventQueue,
  ): Promise<CodeResult> {
    // Read at once: the caller may change the blocks while the question is open.
    const blocks = checkBlocks(given.blocks)
    const { signal } = controller
    const asking = this.#questions.asking(decides, events.showApproval)
    using _link = onAbort(options.signal, () => controller.abort(options.signal?.reason))
    this.#running.add(controller)
    let hasBegun = false
    const asked = { blocks, options, about: aboutOf(options), asking, signal }
    try {
      return await askedRun(
        { ...asked, questions: this.#questions, executor: this, events },
        async (programs, begin) => {
          await begin()
          hasBegun = true
          return await forwarded(
            this.#executor.execute(programs, definedOptions({ ...inner, signal })),
            events,
            signal,
          )
        },
      )
    } catch (error) {
      if (hasBegun || !signal.aborted) throw error
      return notRun(this, 'cancelled', cancelledText)
    } finally {
      this.#running.delete(controller)
    }
  }

  #cancel(): void {
    for (const controller of this.#running) controller.abort()
  }
}

/** Passes the events of an execution on, and resolves with its result. */
export async function forwarded(
  execution: Execution,
  events: EventQueue,
  signal: AbortSignal,
): Promise<CodeResult> {
  for await (const event of execution) {
    if (event.type === 'stdout' || event.type === 'stderr')
      await events.pushOutput(event.type, event.index, bytesOfOutput(event))
    else if (event.type === 'approval-requested') await events.showApproval(event, signal)
    else if (event.type !== 'execution-end') await events.push(event)
  }
  return await execution
}
