import {
  type CodeBlock,
  type CodeExecutor,
  DecisionLedger,
  extractCodeBlocks,
  type Notice,
} from '@fenced/core'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import type { EventLog } from '../event-log.ts'
import type { SavedState } from '../saved-state.ts'
import { AgentRecorder } from './agent-recorder.ts'
import { AgentTurn, lastAnswer, restore, told } from './agent-turn.ts'
import { wasAllowedBefore } from './allowed-before.ts'
import { toolsOfRun } from './hosted-executor.ts'
import { Outline, type UnrunText } from './outline.ts'
import { type ParticipantOptions, Participants } from './participants.ts'
import { type Asked, PageQuestions } from './questions.ts'
import { RememberedAnswers } from './remembered-answers.ts'
import { runBlocks } from './runs.ts'

const defaultMaxAnswers = 20

/** What a conversation is made of. */
export interface ConversationParts extends ParticipantOptions {
  readonly id: string
  readonly log: EventLog
}

/** Writes into the log. A failure ends the turn. */
interface Writers {
  readonly append: (event: ConversationEvent) => void
  readonly appendStep: (
    events: readonly ConversationEvent[],
    step: Parameters<EventLog['appendStep']>[2],
  ) => void
  /** Never throws. */
  readonly note: (notice: Notice) => void
}

/** What a turn works with. */
export interface TurnParts {
  readonly executor: CodeExecutor
  readonly outline: Outline
  readonly saved: SavedState | undefined
  readonly signal: AbortSignal
}

/** Code that is run without the agents. */
interface CodeOfTurn extends Pick<Asked, 'wasAllowed' | 'wasInterrupted'> {
  readonly blocks: readonly CodeBlock[]
  /** ID of the answer or document that has the blocks. */
  readonly of: string
  /** The run that a person repeats. */
  readonly repeats?: string | undefined
}

/** What is done in the turns of a conversation: documents and earlier runs are run, and the agent works. */
export class TurnWork {
  readonly questions: PageQuestions
  readonly participants: Participants
  /** Answers that hold for the conversation. */
  readonly remembered: RememberedAnswers
  readonly #parts: ConversationParts
  readonly #write: Writers
  readonly #ledger: DecisionLedger
  /** Whether programs of this conversation have run in an executor that is not there any more. */
  #hasLostExecutor = false

  constructor(parts: ConversationParts, write: Writers) {
    this.#parts = parts
    this.#write = write
    const { options, log } = parts
    this.#ledger = options.ledger ?? new DecisionLedger({ store: log.decisions })
    this.participants = new Participants(parts, write.note)
    this.remembered = new RememberedAnswers(this.outline, write.append)
    const { ledger, remembered } = { ledger: this.#ledger, remembered: this.remembered }
    this.questions = new PageQuestions({ ledger, remembered, askTool: options.ask?.tool })
    for (const { event } of this.outline) this.#hasLostExecutor ||= event.type === 'code-end'
  }

  /** All events but those of programs. */
  get outline(): Iterable<LoggedEvent> {
    return this.#parts.log.all(this.#parts.id, { within: false })
  }

  /** The state of the agent, and what the log says beside it. Only what the agent does not know is read. */
  read(): Pick<TurnParts, 'outline' | 'saved'> {
    const { id, log } = this.#parts
    const saved = log.state(id)
    const after = saved?.state === undefined ? 0 : saved.seq - 1
    return { saved, outline: new Outline(log.all(id, { within: false, after }), saved) }
  }

  /** Does what is left to do: a text whose code has not run, and then the work of the agent. */
  async continue(parts: TurnParts): Promise<void> {
    const { unrun, isAgentNext } = parts.outline
    const hasRun = unrun !== undefined && (await this.#runText(unrun, parts))
    if (isAgentNext || (hasRun && !unrun.isDocument)) await this.#runAgent({ ...parts, ...this.read() })
  }

  /** Runs the programs of an earlier run again. */
  async repeat(
    run: string,
    { blocks, ...parts }: TurnParts & { readonly blocks: readonly CodeBlock[] },
  ): Promise<void> {
    const wasAllowed = wasAllowedBefore(this.outline, { executor: parts.executor, blocks })
    await this.#runBlocks({ blocks, of: run, repeats: run, wasAllowed }, parts)
  }

  /** Runs the code of a document, or of an answer that an older version wrote. Returns whether there is any. */
  async #runText({ text, of, isCut, ...unrun }: UnrunText, parts: TurnParts): Promise<boolean> {
    const { isDocument, wasInterrupted } = unrun
    const startsInReasoning = !isDocument && this.#parts.model?.startsInReasoning === true
    const all = extractCodeBlocks(text, { startsInReasoning })
    const blocks = isCut ? all.filter(({ closed }) => closed !== false) : all
    if (blocks.length === 0) return false
    await this.#runBlocks({ blocks, of, wasInterrupted }, parts)
    return true
  }

  async #runBlocks(
    { blocks, of, repeats, ...asked }: CodeOfTurn,
    { executor, outline: known, signal }: TurnParts,
  ): Promise<void> {
    const { append } = this.#write
    const lost = this.#takeLostState(executor)
    const recorder = this.#recorder(executor, { last: { id: of, text: '' }, notice: lost, repeats })
    const prepare: Asked['prepare'] = async (_, question) => recorder.ask(question)
    this.questions.begin({ executor, known, append, prepare, ...asked })
    const { ask } = this.questions
    await runBlocks({ executor, blocks, lost, ask, ledger: this.#ledger, signal }, recorder)
  }

  async #runAgent({ executor, outline, saved, signal }: TurnParts): Promise<void> {
    const { agent: hosted, options } = this.#parts
    const { maxAnswers = defaultMaxAnswers } = options
    const { ask } = this.questions
    const agent = await this.participants.agent(executor, { ask, ledger: this.#ledger, signal })
    const untold = await restore(agent, { saved, outline })
    const notice = this.#takeLostState(executor)
    // An agent that continues may be about to run the code of an earlier answer.
    const last = lastAnswer(saved?.isDone === false ? this.outline : [])
    const recorder = this.#recorder(executor, { last, notice })
    const { append, appendStep } = this.#write
    const continues = hosted === undefined
    const turn = new AgentTurn({ agent, recorder, appendStep, signal, maxAnswers, continues })
    this.questions.begin({ executor, known: outline, append, prepare: turn.prepare })
    await turn.run(notice === undefined ? untold : [told(notice), ...untold])
  }

  /** Writes what happens in a turn. @param code - the answer or document whose code may run, and the run that is repeated. */
  #recorder(
    executor: CodeExecutor,
    { repeats, ...first }: ConstructorParameters<typeof AgentRecorder>[1] & Pick<CodeOfTurn, 'repeats'>,
  ): AgentRecorder {
    const { model, options } = this.#parts
    const { tools } = toolsOfRun(options, executor) ?? {}
    const facts = {
      ...(tools === undefined ? {} : { tools: Object.keys(tools) }),
      ...(executor.session === undefined ? {} : { canUndo: true as const }),
      ...(repeats === undefined ? {} : { repeats }),
    }
    const speakerOf = (name: string) =>
      model === undefined ? { model: '', agent: name } : { model: model.name }
    return new AgentRecorder({ speakerOf, facts, append: this.#write.append }, first)
  }

  /** A kernel of an earlier server, or a kernel that was stopped, has lost its variables. */
  #takeLostState({ capabilities: { stateful } }: CodeExecutor): Notice | undefined {
    const isLost = this.#hasLostExecutor && stateful.length > 0
    this.#hasLostExecutor = false
    return isLost ? { code: 'state-lost', message: lostState } : undefined
  }
}

const lostState =
  'The executor was recreated since the earlier programs: all variables and imports are lost, and files are kept. Define again what the next block needs.'
