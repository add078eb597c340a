import { asChatAgent, CodeExecutorAgent, codeWriterMessage, type TaskRunner } from '@fenced/agents'
import type { AskFunction, CodeExecutor, DecisionLedger, Notice } from '@fenced/core'
import { hostToolsText } from '@fenced/core/tool'
import type { FencedWebOptions, WebAgent, WebExecutor, WebExecutorOptions, WebModel } from '../options.ts'
import { hostedExecutor, toolsOfRun } from './hosted-executor.ts'

/** What the participants of a conversation are made of. */
export interface ParticipantOptions {
  readonly executor: WebExecutor
  /** What answers: a model, or an agent. */
  readonly model: WebModel | undefined
  readonly agent: WebAgent | undefined
  /** What its programs are to find installed. */
  readonly packages: readonly string[]
  /** The working directory of its code. */
  readonly workDir: string
  /** Makes sure that it exists. Rejects where a link is in its place. */
  readonly openWorkDir: () => Promise<unknown>
  readonly options: FencedWebOptions
}

/** How agents of a conversation ask, and what has been decided. */
interface Deciding {
  readonly ask: AskFunction
  readonly ledger: DecisionLedger
}

/** How much a model reads of a conversation, in tokens. */
const defaultInputTokens = 100_000

/** The executor and the agent of a conversation. Each is created once, when it is first needed. */
export class Participants {
  readonly #options: ParticipantOptions
  readonly #onNotice: (notice: Notice) => void
  #executor: Promise<CodeExecutor> | undefined
  #agent: Promise<TaskRunner> | undefined

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

  /** The executor, if it was created. */
  async knownExecutor(): Promise<CodeExecutor | undefined> {
    return await this.#executor?.catch(() => undefined)
  }

  /** What answers: the agent that is hosted, or one with the model. */
  agent(executor: CodeExecutor, deciding: Deciding & { readonly signal: AbortSignal }): Promise<TaskRunner> {
    this.#agent ??= this.#createAgent(executor, deciding).catch((error) => {
      this.#agent = undefined
      throw error
    })
    return this.#agent
  }

  /** Stops the executor, if there is one. */
  async stop(): Promise<void> {
    const executor = await this.knownExecutor()
    await executor?.stop()
  }

  async #createExecutor(options: Pick<WebExecutorOptions, 'signal' | 'onNotice'>): Promise<CodeExecutor> {
    const { executor, workDir, packages, openWorkDir, options: page } = this.#options
    await openWorkDir()
    return hostedExecutor(await executor.createExecutor({ ...options, workDir, packages }), page)
  }

  async #createAgent(
    executor: CodeExecutor,
    { ask, ledger, signal }: Deciding & { readonly signal: AbortSignal },
  ): Promise<TaskRunner> {
    const { model: chosen, agent } = this.#options
    if (agent !== undefined) {
      const hosted = await agent({ executor, ask, ledger })
      return 'run' in hosted ? hosted : asChatAgent(hosted)
    }
    if (chosen === undefined) throw new Error('There is no model.')
    const { model, pictures, startsInReasoning, maxInputTokens = defaultInputTokens } = chosen
    return new CodeExecutorAgent({
      ...{ name: 'assistant', executor, ask, ledger, pictures, startsInReasoning, maxInputTokens },
      model: typeof model === 'function' ? await model(executor, { signal }) : model,
      systemMessage: this.#instructions(executor),
      // What it says of a result is its next answer, which can have a program.
      reflectOnResult: false,
    })
  }

  #instructions({ capabilities }: CodeExecutor): string {
    const { options } = this.#options
    const { instructions = codeWriterMessage(capabilities) } = options
    const { tools } = toolsOfRun(options, { capabilities }) ?? {}
    const { toolLanguages = [], inputRequests = false } = capabilities
    const about = tools === undefined ? '' : hostToolsText(tools, toolLanguages)
    return [instructions, about, inputRequests ? inputText : ''].filter((text) => text !== '').join('\n\n')
  }
}

const inputText =
  'A program can ask the person for a line while it runs, as a terminal does (`input()` in Python). The program waits for the answer.'
