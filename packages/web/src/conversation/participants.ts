import { codeWriterMessage } from '@fenced/agents'
import type { CodeExecutor, Notice } from '@fenced/core'
import { hostToolsText } from '@fenced/core/tool'
import type { LanguageModel } from 'ai'
import type { FencedWebOptions, WebExecutor, WebExecutorOptions, WebModel } from '../options.ts'
import { toolsOfRun } from './runs.ts'

/** What the participants of a conversation are made of. */
export interface ParticipantOptions {
  readonly executor: WebExecutor
  readonly model: WebModel | undefined
  /** What its programs are to find installed. */
  readonly packages: readonly string[]
  /** The working directory of its code. */
  readonly workDir: string
  /** Makes sure that it exists. Rejects where a link is in its place. */
  readonly openWorkDir: () => Promise<unknown>
  readonly options: FencedWebOptions
}

/** The executor and the model of a conversation. Each is created once, when it is first needed. */
export class Participants {
  readonly #options: ParticipantOptions
  readonly #onNotice: (notice: Notice) => void
  #executor: Promise<CodeExecutor> | undefined
  #model: Promise<LanguageModel> | undefined

  constructor(options: ParticipantOptions, onNotice: (notice: Notice) => void) {
    this.#options = options
    this.#onNotice = onNotice
  }

  async startedExecutor(signal: AbortSignal): Promise<CodeExecutor> {
    const options = { signal, onNotice: this.#onNotice }
    this.#executor ??= this.#createExecutor(options).catch((error) => {
      this.#executor = undefined
      throw error
    })
    const executor = await this.#executor
    await executor.start(options)
    return executor
  }

  model(executor: CodeExecutor, signal: AbortSignal): Promise<LanguageModel> {
    const model = this.#options.model?.model
    if (model === undefined) throw new Error('There is no model.')
    this.#model ??= (
      typeof model === 'function' ? model(executor, { signal }) : Promise.resolve(model)
    ).catch((error) => {
      this.#model = undefined
      throw error
    })
    return this.#model
  }

  /** System message of the model. */
  instructions(executor: CodeExecutor): string {
    const { capabilities } = executor
    const { instructions = codeWriterMessage(capabilities) } = this.#options.options
    const { tools } = toolsOfRun(this.#options.options, executor) ?? {}
    const { toolLanguages = [], inputRequests = false } = capabilities
    const about = tools === undefined ? '' : hostToolsText(tools, toolLanguages)
    return [instructions, about, inputRequests ? inputText : ''].filter((text) => text !== '').join('\n\n')
  }

  /** Stops the executor, if there is one. */
  async stop(): Promise<void> {
    const executor = await this.#executor?.catch(() => undefined)
    await executor?.stop()
  }

  async #createExecutor(options: Pick<WebExecutorOptions, 'signal' | 'onNotice'>): Promise<CodeExecutor> {
    const { executor, workDir, packages, openWorkDir } = this.#options
    await openWorkDir()
    return executor.createExecutor({ ...options, workDir, packages })
  }
}

const inputText =
  'A program can ask the person for a line while it runs, as a terminal does (`input()` in Python). The program waits for the answer.'
