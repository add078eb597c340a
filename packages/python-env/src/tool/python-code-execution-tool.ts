import { DecisionLedger, exitCodes, FencedError, RememberedApprovals } from '@fenced/core'
import {
  type AllowedCall,
  type Asker,
  askable,
  askerOf,
  decidedCall,
  hideUsers,
  installRequest,
} from '@fenced/core/internal'
import {
  type CodeToolModelOutput,
  refusedToolOutput,
  runningToolOutput,
  type ToolOutput,
  toolModelOutput,
  toolOutputSchema,
  toolOutputs,
} from '@fenced/core/tool'
import type { z } from '@fenced/core/zod'
import { WorkingDirectory } from '../working-directory.ts'
import { PackagePolicy } from './package-policy.ts'
import { SharedExecutor } from './shared-executor.ts'
import { type PythonToolInput, refusal, toolDescription, toolInputSchema } from './tool-messages.ts'
import { type PythonCodeExecutionToolOptions, readToolOptions, type ToolSettings } from './tool-options.ts'

/** The answer that denies an installation. */
interface Denied {
  readonly denial: string
}

/** Options of a call: the part of the AI SDK's options that this tool uses. */
export interface PythonToolCallOptions {
  readonly abortSignal?: AbortSignal | undefined
}

/**
 * A tool for the AI SDK that runs Python programs written by a model:
 * `tools: { python: new PythonCodeExecutionTool({ pythonEnvironment }) }`.
 *
 * Each call runs in a separate process in the same working directory, and concurrent calls take turns. If a program fails, the
 * model reads its output; if Python is missing, the call rejects.
 *
 * The tool can be destructured and spread, because its members are own properties.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class PythonCodeExecutionTool implements AsyncDisposable {
  readonly name: string
  readonly description: string
  readonly inputSchema: z.ZodType<PythonToolInput>
  readonly outputSchema: z.ZodType<ToolOutput> = toolOutputSchema
  readonly #settings: ToolSettings
  readonly #executors: SharedExecutor
  readonly #packages: PackagePolicy
  readonly #asker: Asker
  readonly #ledger: DecisionLedger
  readonly #remembered = new RememberedApprovals()
  #workDir: WorkingDirectory | undefined

  constructor(options: PythonCodeExecutionToolOptions) {
    const settings = readToolOptions(options)
    this.name = settings.name
    this.description = settings.description ?? toolDescription(settings)
    this.inputSchema = toolInputSchema(settings)
    this.#settings = settings
    this.#asker = askerOf({ ask: settings.ask, askTimeoutMs: settings.askTimeoutMs })
    this.#ledger = settings.ledger ?? new DecisionLedger()
    const { timeoutMs, maxOutputBytes, redact, installablePackages, missingPackages, warm } = settings
    const executorOptions = { timeoutMs, maxOutputBytes, redact, installablePackages, missingPackages, warm }
    this.#executors = new SharedExecutor(async (startOptions) => {
      this.#workDir ??= settings.workDir ?? WorkingDirectory.createTmp()
      const workDir = this.#workDir
      const placed = { ...startOptions, ...executorOptions, workDir }
      return askable(await settings.pythonEnvironment.createExecutor(placed))
    })
    this.#packages = new PackagePolicy(installablePackages, async (packages, installOptions) => {
      await settings.pythonEnvironment.install(packages, installOptions)
      // A container keeps the image that it was made from.
      await this.#executors.replace()
    })
  }

  /**
   * Runs a program. Yields preliminary outputs while the program runs, and the final output last. Aborting the signal stops the
   * program.
   *
   * @throws FencedError from the environment, such as `PYTHON_NOT_FOUND`, and from its executor.
   */
  readonly execute = (
    input: PythonToolInput,
    { abortSignal }: PythonToolCallOptions = {},
  ): AsyncGenerator<ToolOutput, undefined, undefined> => this.#run(input, abortSignal)

  /** Returns the part of an output that the model reads: text within `maxModelOutputLength`, and `pictures`. */
  readonly toModelOutput = ({ output }: { readonly output: ToolOutput }): CodeToolModelOutput =>
    toolModelOutput(output, { maxLength: this.#settings.maxModelOutputLength })

  /** Stops running programs, and removes the working directory unless it was passed in. The tool can be used again. */
  readonly stop = async (): Promise<void> => {
    this.#packages.forget()
    await this.#executors.stop()
    await this.#removeOwnDirectory()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async *#run(
    { code, packages = [] }: PythonToolInput,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ToolOutput, undefined, undefined> {
    const chosen = this.#packages.choose(packages)
    if ('refused' in chosen) {
      yield notRun('denied', refusal(chosen.refused, this.#settings.installablePackages))
      return
    }
    try {
      const { missing } = chosen
      if (missing.length > 0) {
        const until = signal ?? new AbortController().signal
        const decided = await this.#decideInstall(missing, until)
        if ('denial' in decided) {
          yield notRun(
            'denied',
            `The packages were not installed, and nothing was run. Reason: ${decided.denial}`,
          )
          return
        }
        yield runningToolOutput({ progress: `Installing ${hideUsers(missing.join(', '))}.` })
        await this.#install(missing, decided, until)
      }
      yield* this.#runProgram(code, signal)
    } catch (error) {
      if (signal?.aborted && error === signal.reason) yield notRun('cancelled', cancelledWords)
      else if (isInstallerFailure(error)) yield notRun('invalid', error.message)
      else throw error
    }
  }

  /** Asks whether packages may be installed, where an approver decides about that. */
  async #decideInstall(packages: readonly string[], signal: AbortSignal): Promise<AllowedCall | Denied> {
    if (!this.#asker.has('install')) return { begin: async () => {}, end: async () => {} }
    await using held = await this.#executors.hold({ signal })
    return await decidedCall(installRequest(held.executor, { packages }), {
      ledger: this.#ledger,
      ask: (request) => this.#asker.ask<'install'>(request, { signal }),
    })
  }

  async #install(
    packages: readonly string[],
    { begin, end }: AllowedCall,
    signal: AbortSignal,
  ): Promise<void> {
    await begin()
    try {
      await this.#packages.install(packages, { signal })
    } finally {
      // An installation that fails has ended.
      await end(signal.aborted ? 'unknown' : 'finished')
    }
  }

  async *#runProgram(
    code: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ToolOutput, undefined, undefined> {
    const { ask, askTimeoutMs } = this.#settings
    await using held = await this.#executors.hold({ signal })
    try {
      const execution = held.executor.execute([{ language: 'python', code }], {
        ...{ signal, ask, askTimeoutMs },
        // Answers and decisions stay when an executor is replaced.
        ...{ agent: this.name, remembered: this.#remembered, ledger: this.#ledger },
      })
      for await (const output of toolOutputs(execution, { pictures: this.#settings.pictures })) {
        if (output.status === 'died') held.giveUp()
        yield output
      }
    } catch (error) {
      held.giveUp()
      throw error
    }
  }

  async #removeOwnDirectory(): Promise<void> {
    const directory = this.#workDir
    this.#workDir = undefined
    if (directory !== this.#settings.workDir) await directory?.remove()
  }
}

const cancelledWords = 'Cancelled: nothing was run, because the caller asked to stop before it began.'

function notRun(status: 'denied' | 'cancelled' | 'invalid', message: string): ToolOutput {
  const exitCode = status === 'cancelled' ? exitCodes.cancelled : exitCodes.notExecutable
  return refusedToolOutput({ status, exitCode, message })
}

/** A name that does not exist is the model's fault, which it can mend. */
function isInstallerFailure(error: unknown): error is FencedError {
  return FencedError.isInstance(error) && ['INSTALL_FAILED', 'EXTERNALLY_MANAGED'].includes(error.code)
}
