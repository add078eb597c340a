import type { CodeApprovalRequest, OutputFile } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { knownOptions, type OptionNames, type Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { isAbortSignal, untilAborted } from '@fenced/shared'
import type { AgentEvent } from '../event.ts'
import type { HumanInput, HumanInputRequest } from '../human-input/human-input.ts'
import { type GivenAnswers, givenAnswers, type QuestionOptions } from '../running/questions.ts'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import { OpenQuestions, type SavedTurn, savedOf } from '../running/saved-questions.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import { type Usage, UsageMeter } from '../usage.ts'

/** The running conversation, for the functions that reply in it. */
export interface ReplyChat extends RunContext {
  /** Adds to the usage of a model. */
  addUsage(modelId: string, usage: Usage): void
  /** Asks a person, once the reader of the events has seen all earlier events. */
  ask(request: HumanInputRequest, humanInput: HumanInput): Promise<string>
}

interface ChatContextOptions {
  readonly parent?: Pick<ReplyChat, 'addUsage'>
  /** The turn that waited for answers when the state was saved. */
  readonly saved?: SavedTurn | undefined
  readonly programs?: TeamPrograms | undefined
  /** @default true */
  readonly isKept?: boolean
}

/** One running conversation, as everything that takes part in it sees it. */
export class ChatContext implements ReplyChat {
  readonly signal: AbortSignal
  readonly emit: RunContext['emit']
  readonly usage = new UsageMeter()
  readonly drained: RunContext['drained']
  readonly given: GivenAnswers | undefined
  readonly #saved: SavedTurn | undefined
  /** What persons have answered already in the turn that continues. */
  readonly #replies: SavedTurn['replies'][number][]
  #areCallsSaved = true
  /** The programs that members of the team have run, in a team. */
  readonly programs: TeamPrograms | undefined
  /** Whether agents keep what they count in it. */
  readonly isKept: boolean
  readonly #parent: Pick<ReplyChat, 'addUsage'> | undefined
  readonly #questions = new OpenQuestions()
  /** By path, as they were changed last. */
  readonly #files = new Map<string, OutputFile>()
  readonly #answers: { readonly agent: string; readonly text: string }[] = []

  constructor(run: RunContext, { parent, saved, programs, isKept = true }: ChatContextOptions = {}) {
    const { signal, emit, drained, given } = this.#questions.following(run)
    this.signal = signal
    this.given = given
    this.#saved = saved
    this.#replies = [...(saved?.replies ?? [])]
    this.programs = programs
    this.isKept = isKept
    this.emit = (event) => {
      if (event.type === 'code-end') for (const file of event.result.files) this.#files.set(file.path, file)
      return emit(event)
    }
    this.drained = drained
    this.#parent = parent
  }

  /** A conversation inside of this one: its events are this one's, and its usage counts here as well. */
  nested(signal: AbortSignal = this.signal): ChatContext {
    const { emit, drained, given } = this
    return new ChatContext({ signal, emit, drained, given }, { parent: this })
  }

  addUsage(modelId: string, usage: Usage): void {
    this.usage.add(modelId, usage)
    this.#parent?.addUsage(modelId, usage)
  }

  /** What programs have made or changed in this conversation, each file once. */
  get files(): readonly OutputFile[] {
    return [...this.#files.values()]
  }

  async ask(asked: HumanInputRequest, humanInput: HumanInput): Promise<string> {
    const { agent } = asked
    const replied = this.#replies.findIndex((one) => one.agent === agent && one.kind === asked.kind)
    if (replied !== -1) return this.#replies.splice(replied, 1)[0]?.text ?? ''
    const saved = savedOf(this.#saved, asked.kind).find((one) => one.agent === agent)
    const request = saved === undefined ? asked : { ...asked, id: saved.id }
    const { id: requestId } = request
    await this.emit({ type: 'human-input-requested', agent, request })
    await this.drained()
    this.signal.throwIfAborted()
    const given = this.given?.take(requestId)
    const ask = async () => humanInput.ask(request, { signal: this.signal })
    const text = typeof given === 'string' ? given : await untilAborted(ask(), this.signal)
    this.#answers.push({ agent, text })
    await this.emit({ type: 'human-input-answered', agent, requestId, text })
    return text
  }

  /** The question about code that was open when the state was saved. It is repeated, with the same id while it is open in the ledger. */
  get savedCode(): CodeApprovalRequest | undefined {
    return savedOf(this.#saved, 'code')[0]
  }

  /** The calls that were not over when the state was saved. They are continued once: later calls may have the same ids. */
  takeSavedCalls(): SavedTurn | undefined {
    const isFirst = this.#areCallsSaved
    this.#areCallsSaved = false
    return isFirst ? this.#saved : undefined
  }

  /** Whether the conversation is part of an outer conversation. */
  get isNested(): boolean {
    return this.#parent instanceof ChatContext
  }

  /** The turn whose questions are open, as a state keeps it. */
  get turn(): SavedTurn | undefined {
    return this.#questions.turn
  }

  get answered(): number {
    return this.#answers.length
  }

  answersFor(agent: string): readonly string[] {
    return this.#answers.filter((answer) => answer.agent === agent).map(({ text }) => text)
  }
}

/**
 * A running conversation: await the result, or iterate the events once. It also runs without a reader. `cancel()`, or leaving the
 * loop early, ends the conversation and its running block, and waits for both.
 */
export type Chat<Result> = Running<Result, AgentEvent>

interface StartOptions extends QuestionOptions {
  readonly signal?: AbortSignal | undefined
}

/** What begins a conversation, and the options that it was called with. */
interface ChatParts<Options extends object, Result> {
  /** The name of the method, for the error. */
  readonly of: string
  /** Whether agents keep what they count in it. @default true */
  readonly isKept?: boolean
  readonly options: Options
  /** The names of the options. Absent if `run` refuses unknown names. `signal` is always one. */
  readonly names?: OptionNames<Omit<Options, 'signal'>>
  /** The turn that waited for answers when the conversation was saved. */
  readonly saved?: SavedTurn | undefined
  readonly run: (chat: ChatContext, options: Omit<Options, 'signal' | 'onQuestion'>) => Promise<Result>
}

const optionsSchema = z.looseObject({
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
  onQuestion: z.enum(['ask', 'suspend']).optional(),
})

/** Begins something that makes the events of a conversation, at once. It rejects where its options are no object. */
export function startChat<Options extends StartOptions, Result>({
  of,
  isKept = true,
  options,
  names,
  saved,
  run,
}: ChatParts<Options, Result>): Chat<Result> {
  const { signal, onQuestion, ...others } = Object(options) as Options
  return runWithEvents(
    async (context) => {
      parseOptions(optionsSchema, options, of)
      if (names !== undefined) knownOptions<object>(options, { ...names, signal: true }, of)
      const given = givenAnswers(options)
      return await run(new ChatContext({ ...context, given }, { isKept, saved }), others)
    },
    isAbortSignal(signal) ? signal : undefined,
  )
}
