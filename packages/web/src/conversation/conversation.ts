import { randomUUID } from 'node:crypto'
import {
  type CodeExecutor,
  DecisionLedger,
  extractCodeBlocks,
  type Notice,
  type SessionVariable,
} from '@fenced/core'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import type { EventLog, SavedState } from '../event-log.ts'
import { Problem } from '../problem.ts'
import { AgentRecorder } from './agent-recorder.ts'
import { AgentTurn, lastAnswer, restore, toldFirst } from './agent-turn.ts'
import { wasAllowedBefore } from './allowed-before.ts'
import { documentText } from './document-blocks.ts'
import { toolsOfRun } from './hosted-executor.ts'
import { blocksOfRun, Outline, type UnrunText } from './outline.ts'
import { type ParticipantOptions, Participants } from './participants.ts'
import { type Asked, PageQuestions } from './questions.ts'
import { RememberedAnswers } from './remembered-answers.ts'
import { type CodeRun, runBlocks } from './runs.ts'
import { failedEnd, type TurnEnd } from './turn-end.ts'
import { runsSince } from './undone-runs.ts'

const defaultMaxAnswers = 20

/** What a conversation is made of. */
export interface ConversationParts extends ParticipantOptions {
  readonly id: string
  readonly log: EventLog
}

/** What runs in a conversation now. */
interface Turn {
  readonly controller: AbortController
  readonly ended: Promise<void>
  /** The error of the first event that could not be written. */
  failure?: unknown
}

/** What a turn works with. */
interface TurnParts {
  readonly executor: CodeExecutor
  readonly outline: Outline
  readonly saved: SavedState | undefined
  readonly signal: AbortSignal
}

/**
 * A person, an agent and an executor that runs its code. Everything that happens is an event of the log, and what comes next is
 * read from there and from the state of the agent.
 */
export class Conversation {
  readonly #parts: ConversationParts
  readonly questions: PageQuestions
  readonly #participants: Participants
  readonly #ledger: DecisionLedger
  /** Answers that hold for the conversation. */
  readonly #remembered: RememberedAnswers
  /** Whether programs of this conversation have run in an executor that is not there any more. */
  #hasLostExecutor: boolean
  #turn: Turn | undefined
  #isUndoing = false

  constructor(parts: ConversationParts) {
    this.#parts = parts
    const { options, log } = parts
    this.#ledger = options.ledger ?? new DecisionLedger({ store: log.decisions })
    this.#participants = new Participants(parts, (notice) => this.#note(notice))
    this.#remembered = new RememberedAnswers(this.#outline, (event) => this.#append(event))
    this.questions = new PageQuestions({
      ...{ ledger: this.#ledger, remembered: this.#remembered, askTool: options.ask?.tool },
    })
    this.#hasLostExecutor = [...this.#outline].some(({ event }) => event.type === 'code-end')
  }

  get isWorking(): boolean {
    return this.#turn !== undefined
  }

  /** A person says something, and the agent answers. @throws {@link Problem} while it works. */
  send(text: string): void {
    this.#requireAgent()
    this.#begin(() => this.#append({ type: 'message', messageId: randomUUID(), content: text }))
  }

  /** Runs the code of a document. @throws {@link Problem} */
  runDocument(name: string, content: string): void {
    const text = documentText(name, content)
    if (extractCodeBlocks(text).every(({ language }) => language === ''))
      throw new Problem(422, `${name} has no code: nothing was run.`)
    this.#begin(() => this.#append({ type: 'document', documentId: randomUUID(), name, content: text }))
  }

  /** Continues where the log ends: after a failure, a stop, or the end of the server. @throws {@link Problem} */
  resume(): void {
    const { ended, isAgentNext, unrun } = this.#read().outline
    const isNothingLeft = ended === undefined && !isAgentNext && unrun === undefined
    if (ended === 'done' || isNothingLeft)
      throw new Problem(409, 'There is nothing to continue: write a message.')
    if (isAgentNext) this.#requireAgent()
    this.#begin(() => {})
  }

  /**
   * Runs the programs of an earlier run again, unchanged. Needs the person's decision, unless a remembered answer applies. @throws
   * {@link Problem}
   */
  repeat(run: string): void {
    const blocks = blocksOfRun(this.#outline, run)
    if (blocks === undefined) throw new Problem(404, 'There is no such run.')
    this.#begin(
      () => {},
      async (parts) => {
        const wasAllowed = wasAllowedBefore(this.#outline, { executor: parts.executor, blocks })
        await this.#runBlocks({ blocks, of: run, repeats: run, wasAllowed }, parts)
      },
    )
  }

  /** Undoes a run and all later ones: Python variables, and files. @throws {@link Problem}; what `session.undo` rejects with. */
  async undo(run: string): Promise<void> {
    this.#requireRest()
    this.#isUndoing = true
    try {
      const executor = await this.#participants.knownExecutor()
      if (executor?.session === undefined) throw new Problem(409, nothingToUndo)
      const { id, log } = this.#parts
      const { runIds, steps } = runsSince(log.all(id), run, executor.capabilities.languages)
      const { notices } = await executor.session.undo(steps)
      this.#append({ type: 'undo', runIds, content: notices.map(({ message }) => message).join('\n') })
    } finally {
      this.#isUndoing = false
    }
  }

  /** The Python variables of its programs; none before its first program, or if the executor keeps none. */
  async variables(): Promise<readonly SessionVariable[]> {
    const executor = await this.#participants.knownExecutor()
    return (await executor?.session?.variables()) ?? []
  }

  /** Revokes a remembered answer. @throws {@link Problem} */
  forget(id: string): void {
    if (!this.#remembered.forget(id)) throw new Problem(404, 'There is no such approval any more.')
  }

  /** Ends what runs: the programs, or all of it. */
  async stop(what: 'run' | 'turn'): Promise<void> {
    const turn = this.#turn
    if (turn === undefined) return
    if (what === 'run') {
      await this.#participants.stopPrograms()
      return
    }
    turn.controller.abort()
    await turn.ended
  }

  /** Ends what runs, and stops the executor. */
  async close(): Promise<void> {
    await this.stop('turn')
    await this.#participants.stop()
  }

  /** All events but those of programs. */
  get #outline(): Iterable<LoggedEvent> {
    return this.#parts.log.all(this.#parts.id, { within: false })
  }

  /** The state of the agent, and what the log says beside it. Only what the agent does not know is read. */
  #read(): Pick<TurnParts, 'outline' | 'saved'> {
    const { id, log } = this.#parts
    const saved = log.state(id)
    const after = saved?.state === undefined ? 0 : saved.seq - 1
    return { saved, outline: new Outline(log.all(id, { within: false, after }), saved) }
  }

  /** Adds an event to the log. A failure ends the turn, also when the caller ignores the error. */
  #append(event: ConversationEvent): void {
    this.#writing(() => this.#parts.log.append(this.#parts.id, event))
  }

  #writing(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (this.#turn !== undefined) this.#turn.failure ??= error
      this.#turn?.controller.abort(error)
      throw error
    }
  }

  /** Adds a notice to the log. Never throws, because it is called from callbacks of an executor. */
  #note(notice: Notice): void {
    try {
      this.#append({ type: 'notice', notice })
    } catch {
      // The turn says why.
    }
  }

  #requireAgent(): void {
    const { model, agent } = this.#parts
    if (model === undefined && agent === undefined)
      throw new Problem(
        422,
        'The model or agent of this conversation is no longer configured. Start a new conversation.',
      )
  }

  #requireRest(): void {
    if (this.#turn !== undefined || this.#isUndoing)
      throw new Problem(409, 'The conversation is working: stop it, or wait for it.')
  }

  #begin(first: () => void, work = (parts: TurnParts) => this.#continue(parts)): void {
    this.#requireRest()
    first()
    const { saved, outline } = this.#read()
    const { forgottenAfter: after } = outline
    this.#append({ type: 'turn-start', ...(after === undefined ? {} : { after }) })
    const controller = new AbortController()
    const { signal } = controller
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: Turn = { controller, ended }
    this.#turn = turn
    void this.#participants
      .startedExecutor(signal)
      .then((executor) => work({ executor, outline, saved, signal }))
      .then(
        () => (turn.failure === undefined ? ({ status: 'done' } as const) : failedEnd(turn, turn.failure)),
        (error: unknown) => failedEnd(turn, error),
      )
      .then((end) => this.#end(end))
      .finally(resolve)
  }

  #end(end: TurnEnd): void {
    this.#turn = undefined
    try {
      this.#append({ type: 'turn-end', ...end })
    } catch {
      // The log is closed or broken: the next server ends the turn.
    }
  }

  async #continue(parts: TurnParts): Promise<void> {
    const { unrun, isAgentNext } = parts.outline
    const hasRun = unrun !== undefined && (await this.#runText(unrun, parts))
    if (isAgentNext || (hasRun && !unrun.isDocument)) await this.#runAgent({ ...parts, ...this.#read() })
  }

  /** Runs the code of a document, or of an answer that an older version wrote. Returns whether there is any. */
  async #runText({ text, of, isCut, isDocument }: UnrunText, parts: TurnParts): Promise<boolean> {
    const startsInReasoning = !isDocument && this.#parts.model?.startsInReasoning === true
    const all = extractCodeBlocks(text, { startsInReasoning })
    const blocks = isCut ? all.filter(({ closed }) => closed !== false) : all
    if (blocks.length === 0) return false
    await this.#runBlocks({ blocks, of }, parts)
    return true
  }

  async #runBlocks(
    code: Pick<CodeRun, 'blocks' | 'of' | 'repeats'> & Pick<Asked, 'wasAllowed'>,
    { executor, outline, signal }: TurnParts,
  ): Promise<void> {
    const append = (event: ConversationEvent) => this.#append(event)
    const asked = { executor, known: outline, append, wasAllowed: code.wasAllowed === true }
    await runBlocks({
      ...{ ...code, executor, append, signal, ask: this.questions.ask, ledger: this.#ledger },
      facts: this.#factsOfRun(executor),
      lost: this.#takeLostState(executor),
      begin: (prepare) => this.questions.begin({ ...asked, prepare }),
    })
  }

  async #runAgent({ executor, outline, saved, signal }: TurnParts): Promise<void> {
    const { id, log, model, agent: hosted, options } = this.#parts
    const { maxAnswers = defaultMaxAnswers } = options
    const { ask } = this.questions
    const agent = await this.#participants.agent(executor, { ask, ledger: this.#ledger, signal })
    await restore(agent, { saved, outline })
    const lost = this.#takeLostState(executor)
    const append = (event: ConversationEvent) => this.#append(event)
    const recorder = new AgentRecorder(
      {
        speakerOf: (name) => (model === undefined ? { model: '', agent: name } : { model: model.name }),
        facts: this.#factsOfRun(executor),
        append,
      },
      { last: lastAnswer(this.#outline), notice: lost },
    )
    const turn = new AgentTurn({
      ...{ agent, recorder, append, signal, maxAnswers, continues: hosted === undefined },
      appendStep: (events, step) => this.#writing(() => log.appendStep(id, events, step)),
    })
    this.questions.begin({ executor, known: outline, append, prepare: turn.prepare })
    await turn.run(toldFirst(outline, lost))
  }

  #factsOfRun(executor: CodeExecutor): CodeRun['facts'] {
    const { tools } = toolsOfRun(this.#parts.options, executor) ?? {}
    return {
      ...(tools === undefined ? {} : { tools: Object.keys(tools) }),
      ...(executor.session === undefined ? {} : { canUndo: true }),
    }
  }

  /** A kernel of an earlier server, or a kernel that was stopped, has lost its variables. */
  #takeLostState({ capabilities: { stateful } }: CodeExecutor): Notice | undefined {
    const isLost = this.#hasLostExecutor && stateful.length > 0
    this.#hasLostExecutor = false
    return isLost ? { code: 'state-lost', message: lostState } : undefined
  }
}

const nothingToUndo =
  'Nothing can be undone: no program has run since the server started, or the executor keeps no variables.'

const lostState =
  'The executor was recreated since the earlier programs: all variables and imports are lost, and files are kept. Define again what the next block needs.'
