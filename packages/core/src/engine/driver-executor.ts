import { type CodeBlock, createLanguageTable } from '@fenced/markdown'
import { onAbort, raceTimeout, TurnQueue } from '@fenced/shared'
import type { ShowApproval } from '../approval/approval-event.ts'
import { askedRun } from '../approval/asked-run.ts'
import { type AsksAboutCode, aboutOf, asksAboutCode } from '../approval/asks-about-code.ts'
import { CodeQuestions } from '../approval/code-questions.ts'
import { installRequest } from '../approval/install-request.ts'
import type { CodeExecutor, ExecuteOptions, ExecutorCapabilities } from '../code-executor.ts'
import type { ComponentConfig, ToConfigOptions } from '../configuration/component-config.ts'
import { type ComponentDescription, toComponentConfig } from '../configuration/to-component-config.ts'
import type { Execution } from '../execution.ts'
import { requireToolLanguages, ToolSet } from '../host-tools/tool-set.ts'
import { checkBlocks } from '../options/check-blocks.ts'
import { knownOptions } from '../options/known-options.ts'
import { type JoinableRuns, joinRuns } from '../running/runs-of.ts'
import { SharedStart } from '../running/shared-start.ts'
import { executorSandbox } from '../sandbox/executor-sandbox.ts'
import type { ExecutorSandbox, Sandbox } from '../sandbox/sandbox.ts'
import type { PythonSession } from '../session/python-session.ts'
import type { CodeResult, Notice } from '../vocabulary/code-result.ts'
import { checkStartOptions, type StartOptions, startOptionNames } from '../vocabulary/start-options.ts'
import { traced } from '../vocabulary/tracing.ts'
import { DirectoryLease } from '../work-directory/directory-lease.ts'
import { connectionQuestions } from './block/network-of.ts'
import type { BlockToolsTask } from './block/run-block.ts'
import { Endings } from './call/endings.ts'
import { checkExecuteOptions } from './call/execute-arguments.ts'
import {
  diedError,
  notConfigurable,
  notRunningError,
  stoppedWhileStarting,
  stopTimeout,
} from './call/executor-errors.ts'
import { promisedCapabilities } from './call/promised-capabilities.ts'
import { type BlocksTask, cancelledBeforeStart, runBlocks } from './call/run-blocks.ts'
import { RunningExecution } from './call/running-execution.ts'
import { startDriver } from './call/start-driver.ts'
import type { Driver } from './driver.ts'
import type { DriverExecutorParts, EngineContext } from './engine-context.ts'
import { EngineSession, type EngineSessionParts } from './engine-session.ts'
import { EarlierPrograms } from './failures/earlier-programs.ts'
import type { EventQueue } from './output/event-queue.ts'
import { Redactor, redactApproval, redactNotice } from './output/redactor.ts'
import { newRedactor, type RedactingExecutor } from './output/redactor-of.ts'
import { requestedPackages } from './packages/requested-packages.ts'
import { askedAction } from './sandbox/asked-action.ts'
import { askingSandbox } from './sandbox/asking-sandbox.ts'

interface ExecuteContext {
  readonly events: EventQueue
  /** Ends this call, for any reason: the caller's signal, a reader that leaves, `stop`. */
  readonly controller: AbortController
}

/**
 * The engine: a {@link CodeExecutor} built on a {@link Driver}. It provides everything that drivers share: the life cycle, the
 * queue, time limits and cancellation, decoding, limiting and redacting output, file names, tracking the files that the code
 * creates or changes, events and results. Extend it with a class that reads its options and creates a driver.
 */
export class DriverExecutor implements CodeExecutor, JoinableRuns, RedactingExecutor {
  readonly name: string
  readonly capabilities: ExecutorCapabilities
  readonly sandbox?: ExecutorSandbox
  readonly session?: PythonSession
  readonly installPackages?: CodeExecutor['installPackages']
  readonly #engine: EngineContext
  readonly #turns = new TurnQueue()
  readonly #endings = new Endings()
  readonly #lifeCycle: SharedStart<true>
  readonly #startTimeoutMs: number
  readonly #stopTimeoutMs: number
  readonly #configuration: ComponentDescription | undefined
  readonly #running = new Set<AbortController>()
  readonly #questions: CodeQuestions
  /** Files outlive what the driver has started, until `stop`. */
  #keepFiles = false

  constructor(parts: DriverExecutorParts) {
    const { name, driver, capabilities, options, configuration } = parts
    const { stopGraceMs = parts.driver.stopGraceMs ?? 10_000, prepareTimeoutMs = 120_000 } = parts
    const { startTimeoutMs = 3_600_000, stopTimeoutMs = 120_000 } = parts
    const languages = createLanguageTable({
      languages: options.languages,
      executionPolicies: options.executionPolicies,
    })
    this.name = name
    this.capabilities = promisedCapabilities(parts, languages)
    this.#questions = new CodeQuestions(this, options)
    if (driver.sandbox !== undefined)
      this.sandbox = this.#sandboxOf(driver.sandbox, options.ask !== undefined)
    const mayInstall = options.installablePackages.length > 0
    if (driver.packages?.install !== undefined && mayInstall)
      this.installPackages = (packages, given) => this.#installPackages(packages, given)
    const { session } = driver
    if (session !== undefined) this.session = new EngineSession(session, this.#sessionParts(options.redact))
    this.#configuration = configuration
    this.#startTimeoutMs = startTimeoutMs
    this.#stopTimeoutMs = stopTimeoutMs
    this.#engine = {
      name,
      driver,
      capabilities: this.capabilities,
      options,
      languages,
      lease: new DirectoryLease({
        isolation: capabilities.isolation,
        allowsShared: options.allowSharedWorkDir,
        isGuest: driver.isGuest,
      }),
      stopGraceMs,
      prepareTimeoutMs,
      earlierPrograms: new EarlierPrograms(),
      markBroken: () => this.#lifeCycle.markBroken(),
    }
    this.#lifeCycle = new SharedStart({
      start: (given) => traced('fenced:start', { kind: 'executor', name }, () => this.#open(given)),
      stop: () => this.#close(),
      discard: () => this.#close(),
      stoppedError: stoppedWhileStarting,
    })
  }

  /** A class that overrides `execute` may run programs before it asks. */
  get [asksAboutCode](): AsksAboutCode {
    if (this.execute !== DriverExecutor.prototype.execute) return undefined
    return this.#questions.asking().asker.has('code') ? 'always' : 'in a call'
  }

  [joinRuns](run: AbortController): Disposable {
    this.#running.add(run)
    return { [Symbol.dispose]: () => this.#running.delete(run) }
  }

  [newRedactor](): Redactor | undefined {
    const { redact } = this.#engine.options
    return redact.length === 0 ? undefined : new Redactor(redact)
  }

  get workDir(): string | undefined {
    return this.#engine.driver.workDirectory?.hostPath
  }

  async start(options: StartOptions = {}): Promise<void> {
    // No wait where nothing is ending: a stop that is called next must find this start.
    const checked = checkStartOptions(options)
    if (this.#endings.areInProgress) await this.#endings.over(checked.signal)
    await this.#start(checked)
  }

  execute(blocks: readonly CodeBlock[], options: ExecuteOptions = {}): Execution {
    const controller = new AbortController()
    return new RunningExecution(
      (events) => this.#execute(blocks, options, { events, controller }),
      (reason) => controller.abort(reason),
    )
  }

  async restart(): Promise<void> {
    await this.#endings.restart(async () => {
      using _turn = await this.#interrupt()
      await this.#lifeCycle.stop()
      await this.#start()
    })
  }

  async stop(): Promise<void> {
    await this.#endings.stop(async () => {
      using _turn = await this.#interrupt()
      this.#keepFiles = false
      await this.#lifeCycle.stop()
      await this.#closeWorkDirectory()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /**
   * Returns the executor's config as plain data for `loadExecutor`. Secrets are left out and listed.
   *
   * @throws FencedError `NOT_CONFIGURABLE` if an option is not plain data, or if the class does not pass a `configuration`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    const { name, options: settings } = this.#engine
    if (this.#configuration === undefined) throw notConfigurable(name)
    const { secrets = [], ...description } = this.#configuration
    return toComponentConfig(
      { secretValues: settings.redact, ...description, secrets: ['redact', ...secrets] },
      options,
    )
  }

  /** What an executor asks about cannot be done beside it without a question. */
  #sandboxOf(sandbox: Sandbox, asks: boolean): ExecutorSandbox {
    const asking = () => this.#questions.asking()
    return asks ? askingSandbox(sandbox, { executor: this, asking }) : executorSandbox(sandbox)
  }

  async #installPackages(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const { driver, options: own } = this.#engine
    const { signal, onNotice } = knownOptions(options, startOptionNames, 'installPackages()')
    const wanted = requestedPackages(packages, own.installablePackages)
    const notice = redactedNotices(own.redact, onNotice)
    const asking = this.#questions.asking()
    await askedAction({
      ...{ executor: this, asking, isAsked: asking.asker.has('install'), signal },
      request: installRequest(this, { packages: wanted }),
      make: async (signal) => {
        using _turn = await this.#turns.take(signal)
        await this.#makeReady(notice, signal)
        signal.throwIfAborted()
        await driver.packages?.install?.(wanted, { signal, notice })
      },
    })
  }

  async #execute(
    blocks: unknown,
    options: unknown,
    { events, controller }: ExecuteContext,
  ): Promise<CodeResult> {
    const checked = checkBlocks(blocks)
    const given = checkExecuteOptions(options)
    const { options: own } = this.#engine
    const { timeoutMs = own.timeoutMs, maxWaitMs = own.maxWaitMs, signal: callerSignal } = given
    const asking = this.#questions.asking(given, questionsIn(events, own.redact))
    const tools = this.#toolsOf(given)
    const askConnection = connectionQuestions(this.#engine.driver, asking)
    using _link = onAbort(callerSignal, () => controller.abort(callerSignal?.reason))
    const { signal } = controller
    const about = { blocks: checked, options: Object(options), about: aboutOf(options), asking, signal }
    this.#running.add(controller)
    try {
      const call = { ...about, questions: this.#questions, executor: this, events }
      return await askedRun(call, (programs, begin) =>
        this.#run(
          { blocks: programs, events, signal, timeoutMs, maxWaitMs, tools, asking, askConnection },
          begin,
        ),
      )
    } catch (error) {
      if (signal.aborted && error === signal.reason) return cancelledBeforeStart(this.#engine, 0)
      throw error
    } finally {
      this.#running.delete(controller)
    }
  }

  /** Runs programs when it is their turn. */
  async #run(task: Omit<BlocksTask, 'queuedMs'>, begin: () => Promise<void>): Promise<CodeResult> {
    const { blocks, events, signal } = task
    const calledAt = performance.now()
    const queuedMs = () => performance.now() - calledAt
    try {
      using _turn = await this.#turns.take(signal)
      await this.#makeReady((notice) => void events.push({ type: 'notice', notice }), signal)
      signal.throwIfAborted()
      await begin()
      const { name, capabilities } = this
      const trace = { executor: name, isolation: capabilities.isolation, blockCount: blocks.length }
      const ready = { ...task, queuedMs: queuedMs() }
      return await traced('fenced:execution', trace, () => runBlocks(this.#engine, ready))
    } catch (error) {
      if (signal.aborted && error === signal.reason) return cancelledBeforeStart(this.#engine, queuedMs())
      throw error
    }
  }

  #toolsOf({
    tools,
    toolLimits: limits,
  }: ReturnType<typeof checkExecuteOptions>): BlockToolsTask | undefined {
    if (tools === undefined) return undefined
    requireToolLanguages(this)
    return { set: ToolSet.of(tools), limits }
  }

  #sessionParts(redact: readonly string[]): EngineSessionParts {
    return {
      redact,
      take: (signal) => this.#turns.take(signal),
      check: () => {
        const { state } = this.#lifeCycle
        if (state === 'stopped' || state === 'stopping') throw notRunningError(this.name)
        if (state === 'broken') throw diedError(this.name)
      },
    }
  }

  async #makeReady(onNotice: (notice: Notice) => void, signal: AbortSignal): Promise<void> {
    const { state } = this.#lifeCycle
    if (state === 'stopped' || state === 'stopping') throw notRunningError(this.name)
    if (state === 'broken' && this.capabilities.stateful.length > 0) throw diedError(this.name)
    // A class that extends this one may do more in its start. What is ending waits for this turn, and has aborted the signal.
    await this.start({ signal, onNotice })
  }

  async #start({ signal, onNotice }: StartOptions = {}): Promise<void> {
    await this.#lifeCycle.get({ signal, onNotice })
    this.#keepFiles = true
  }

  async #open({ signal, onNotice }: StartOptions & { readonly signal: AbortSignal }): Promise<true> {
    const { driver, lease, options } = this.#engine
    const notice = redactedNotices(options.redact, onNotice)
    await driver.workDirectory?.open()
    lease.take(driver.workDirectory?.hostPath)
    // A start that is given up is closed, like a failed start.
    await startDriver(this.#engine, this.#startTimeoutMs, { signal, notice })
    return true
  }

  async #close(): Promise<void> {
    const { driver, name } = this.#engine
    const stopping = driver.stop?.()
    if (stopping !== undefined && (await raceTimeout(stopping, this.#stopTimeoutMs)) === 'late')
      throw stopTimeout(name, this.#stopTimeoutMs)
    if (!this.#keepFiles) await this.#closeWorkDirectory()
  }

  async #closeWorkDirectory(): Promise<void> {
    const { driver, lease } = this.#engine
    if (driver.keepsWorkDirectory !== true) await driver.workDirectory?.close()
    lease.release()
  }

  /** Cancels what runs and what waits, and takes the next turn, so that nothing begins meanwhile. */
  async #interrupt(): Promise<Disposable> {
    for (const controller of this.#running) controller.abort()
    this.#engine.driver.ending?.()
    return this.#turns.take(new AbortController().signal)
  }
}

/** Passes notices on without the values that are to be hidden. */
function redactedNotices(redact: readonly string[], onNotice: StartOptions['onNotice']) {
  const redactor = new Redactor(redact)
  return (notice: Notice): void => onNotice?.(redactNotice(notice, (text) => redactor.redact(text)))
}

/** Shows questions in the events of a run, without the values that are to be hidden. */
function questionsIn({ showApproval }: EventQueue, redact: readonly string[]): ShowApproval {
  if (redact.length === 0) return showApproval
  const redactor = new Redactor(redact)
  return (event, signal) =>
    showApproval(
      redactApproval(event, (text) => redactor.redact(text)),
      signal,
    )
}
