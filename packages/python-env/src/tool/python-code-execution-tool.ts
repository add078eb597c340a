import {
  type CodeExecutionTool,
  type CodeExecutionToolOptions,
  codeExecutionTool,
  DecisionLedger,
  exitCodes,
  RememberedApprovals,
} from '@fenced/core'
import { askerOf, toolOutputSchema } from '@fenced/core/internal'
import { hostToolsText, refusedToolOutput, type ToolOutput, toolModelOutput } from '@fenced/core/tool'
import type { z } from '@fenced/core/zod'
import { definedOptions } from '@fenced/shared'
import { WorkingDirectory } from '../working-directory.ts'
import { RequestedPackages } from './requested-packages.ts'
import { SharedExecutor } from './shared-executor.ts'
import { type PythonToolInput, toolDescription, toolInputSchema } from './tool-messages.ts'
import { type PythonCodeExecutionToolOptions, readToolOptions, type ToolSettings } from './tool-options.ts'

type ToolCallOptions = Parameters<CodeExecutionTool['execute']>[1]

/**
 * A `codeExecutionTool` for Python, which creates its executor from an environment and installs the packages that calls request:
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
  readonly outputSchema: z.ZodType<ToolOutput> = toolOutputSchema()
  readonly #settings: ToolSettings
  readonly #options: CodeExecutionToolOptions
  readonly #executors: SharedExecutor
  readonly #packages: RequestedPackages
  #workDir: WorkingDirectory | undefined

  constructor(options: PythonCodeExecutionToolOptions) {
    const settings = readToolOptions(options)
    const { pythonEnvironment, workDir, timeoutMs, maxOutputBytes, redact, ...others } = settings
    const { installablePackages, missingPackages, warm, ...tool } = others
    const { ledger = new DecisionLedger(), remembered = new RememberedApprovals() } = tool
    this.name = tool.name
    this.description = `${tool.description ?? toolDescription(settings)}${aboutTools(tool)}`
    this.inputSchema = toolInputSchema(settings)
    this.#settings = settings
    // Answers and decisions stay when an executor is replaced.
    this.#options = { agent: tool.name, ...definedOptions(tool), remembered, ledger }
    const executorOptions = { timeoutMs, maxOutputBytes, redact, installablePackages, missingPackages, warm }
    this.#executors = new SharedExecutor((startOptions) => {
      this.#workDir ??= workDir ?? WorkingDirectory.createTmp()
      return pythonEnvironment.createExecutor({ ...startOptions, ...executorOptions, workDir: this.#workDir })
    })
    this.#packages = new RequestedPackages({
      ...{ installable: installablePackages, asker: askerOf(tool), ledger },
      install: async (packages, installOptions) => {
        await pythonEnvironment.install(packages, installOptions)
        // A container keeps the image that it was made from.
        await this.#executors.replace()
      },
      withExecutor: async (use, startOptions) => {
        await using held = await this.#executors.hold(startOptions)
        return await use(held.executor)
      },
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
    { abortSignal = new AbortController().signal }: ToolCallOptions = {},
  ): AsyncGenerator<ToolOutput, undefined, undefined> => this.#run(input, abortSignal)

  /** Returns the part of an output that the model reads: text within `maxModelOutputLength`, and `pictures`. */
  readonly toModelOutput = ({
    output,
  }: {
    readonly output: ToolOutput
  }): ReturnType<typeof toolModelOutput> =>
    toolModelOutput(output, { maxLength: this.#settings.maxModelOutputLength })

  /** Stops running programs, and removes the working directory unless it was passed in. The tool can be used again. */
  readonly stop = async (): Promise<void> => {
    this.#packages.forget()
    await this.#executors.stop()
    const directory = this.#workDir
    this.#workDir = undefined
    if (directory !== this.#settings.workDir) await directory?.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async *#run(
    { code, packages = [] }: PythonToolInput,
    signal: AbortSignal,
  ): AsyncGenerator<ToolOutput, undefined, undefined> {
    try {
      const notRun = yield* this.#packages.prepare(packages, signal)
      if (notRun === undefined) yield* this.#runProgram(code, signal)
      else yield notRun
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error
      const message = 'Cancelled: nothing was run, because the caller asked to stop before it began.'
      yield refusedToolOutput({ status: 'cancelled', exitCode: exitCodes.cancelled, message })
    }
  }

  async *#runProgram(code: string, signal: AbortSignal): AsyncGenerator<ToolOutput, undefined, undefined> {
    await using held = await this.#executors.hold({ signal })
    try {
      const { execute } = codeExecutionTool(held.executor, this.#options)
      for await (const output of execute({ language: 'python', code }, { abortSignal: signal })) {
        if (output.status === 'died') held.giveUp()
        yield output
      }
    } catch (error) {
      held.giveUp()
      throw error
    }
  }
}

function aboutTools({ tools }: Pick<ToolSettings, 'tools'>): string {
  return tools === undefined ? '' : `\n\n${hostToolsText(tools, ['python'])}`
}
