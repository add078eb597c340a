import {
  type AskAbout,
  type AskAnswer,
  type AskOptions,
  askingExecutor,
  type CodeExecutor,
  createExecutor,
  DecisionLedger,
  RememberedApprovals,
} from '@fenced/core'
import { type Asker, askerOf } from '@fenced/core/internal'
import { ModelClient } from '../model/model-client.ts'
import { modelContextOf } from '../model-context/default-context.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { GivenAnswers } from '../running/questions.ts'
import { Undone } from '../running/undone.ts'
import { type AskTool, toolQuestions } from '../tool/ask-tool.ts'
import { UsageMeter } from '../usage.ts'
import type { AgentSettings, modelOptionsShape, NamedExecutor } from './agent-options.ts'

type ModelAgentSettings = Pick<AgentSettings, 'name' | 'ledger'> &
  Partial<Pick<AgentSettings, keyof typeof modelOptionsShape>>

/** What the agents of this package are made of: a model, its tools and its memory, and the approver of its programs and calls. */
export class ModelAgentParts {
  readonly model: ModelClient | undefined
  readonly modelContext: ModelContext
  readonly usage = new UsageMeter()
  readonly asker: Asker
  readonly askTool: AskTool | undefined
  /** Records its decisions about code and calls of tools. */
  readonly ledger: DecisionLedger
  readonly rememberedApprovals = new RememberedApprovals()
  readonly #questions: AskOptions

  /** @throws FencedError `INVALID_OPTIONS` for two limits of the messages that the model reads. */
  constructor(settings: ModelAgentSettings) {
    const { name: agent, model, ask, askTimeoutMs, ledger = new DecisionLedger() } = settings
    this.model = model && new ModelClient({ ...settings, model })
    this.modelContext = modelContextOf(settings)
    this.asker = askerOf(settings)
    this.askTool = toolQuestions(this.asker)
    this.ledger = ledger
    this.#questions = { ask, askTimeoutMs, agent, ledger, remembered: this.rememberedApprovals }
  }

  /** The executor of an option, whose programs this agent asks about. @throws FencedError `UNKNOWN_EXECUTOR`. */
  askedExecutor(given: CodeExecutor | string | NamedExecutor): AskedExecutor {
    return askedExecutor(given, this.#questions)
  }
}

/** An executor of an agent. */
export interface AskedExecutor {
  readonly executor: CodeExecutor
  /** Whether the agent created the executor and stops it. */
  readonly isOwn: boolean
  /** The executor, wrapped with the question whether the code may run. */
  readonly asking: CodeExecutor
  /** Questions of its programs, for `execute`. */
  readonly questions: AskOptions
  /** The executor and the questions of a run with given answers, which always asks about code. */
  forRun(given: GivenAnswers | undefined): Pick<AskedExecutor, 'asking' | 'questions'>
  /** What its session has undone. */
  readonly undone: Undone
}

/** @throws FencedError `UNKNOWN_EXECUTOR`; what the executor throws for its options. */
function askedExecutor(given: CodeExecutor | string | NamedExecutor, questions: AskOptions): AskedExecutor {
  const named = typeof given === 'string' ? { name: given } : given
  const isOwn = !('execute' in named)
  const executor = isOwn ? createExecutor(named.name, named.options) : named
  const { ask, ...deciding } = questions
  const kinds = askerOf({ ask }).kinds
  const asked =
    kinds.code === undefined
      ? { asking: executor, questions }
      : { asking: askingExecutor(executor, kinds, deciding), questions: {} }
  const forRun = (given: GivenAnswers | undefined) => {
    if (given === undefined) return asked
    const code: AskAbout<'code'> = (request, options) =>
      (given.take(request.id) as AskAnswer<'code'> | undefined) ?? kinds.code?.(request, options)
    return { asking: askingExecutor(executor, { ...kinds, code }, deciding), questions: {} }
  }
  return { executor, isOwn, ...asked, forRun, undone: new Undone(executor) }
}
