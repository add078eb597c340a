import { type CodeBlock, FencedError, type Notice } from '@fenced/core'
import { reflectionQuestion } from '../agent/code-instructions.ts'
import { outputMessage } from '../message/message.ts'
import type { Picture } from '../message/tool-parts.ts'
import { describeUnfinished, isCut } from '../model/call-model.ts'
import type { ModelReply } from '../model/model-request.ts'
import { blocksIn, programsAmong } from '../running/code-blocks.ts'
import { FailureHistory, failureOf } from '../running/repetitions.ts'
import type { RanProgram } from '../running/run-program.ts'
import { takeTurns } from '../running/run-with-events.ts'
import { overLimit, repeatedTooOften, retryQuestion } from './retry.ts'
import type { ModelCalls } from './turn.ts'
import { runTurnProgram, type SavedProgram, type TurnParts } from './turn.ts'

/** What an agent with a model works with while it answers. */
export interface AttemptParts extends TurnParts {
  readonly modelCalls: ModelCalls
}

/** What the agent says in the end. */
export interface Solution {
  readonly content: string
  /** Whether the model wrote it, or it is the result of the program. */
  readonly origin: 'model' | 'program'
  readonly pictures: readonly Picture[]
  /** Why no further try was made after a failure, or why the model did not state the outcome. */
  readonly stopReason?: string
  /** Whether the agent asks its team to end. */
  readonly endsRun?: boolean
  /** Whether the last answer of the model was cut off. */
  readonly isCut?: boolean
}

type Ending = Omit<Solution, 'pictures'>

interface Attempt extends RanProgram {
  readonly number: number
}

/** Writes a program, runs it, and tries again while it fails and another try is allowed and makes sense. */
export async function attemptLoop(parts: AttemptParts): Promise<Solution> {
  const attempts: Attempt[] = []
  const ending = await runAttempts(parts, attempts).catch(async (error: unknown): Promise<Ending> => {
    // A model that fails now does not discard the results so far.
    const last = attempts.at(-1)
    if (last === undefined || !isFailureOfModel(error)) throw error
    const stopReason = `The model failed after code had been run: ${error.message}`
    const data = { reason: error.message, ...error.data }
    const notice = { code: 'model-failed', message: stopReason, data } as const
    await parts.run.emit({ type: 'notice', agent: parts.settings.name, notice })
    return { ...resultOf(last), stopReason }
  })
  return { ...ending, pictures: attempts.at(-1)?.pictures ?? [] }
}

async function runAttempts(parts: AttemptParts, attempts: Attempt[]): Promise<Ending> {
  const { settings, modelCalls } = parts
  const write = writer(parts)
  const startedAt = performance.now()
  const failures = new FailureHistory()
  const { saved } = parts
  const first = saved?.question.retryAttempt ?? 0
  let next = first
  return await takeTurns(parts.run.signal, async () => {
    const number = next++
    const kept = number === first ? saved : undefined
    const written = kept === undefined ? await write() : writtenBefore(kept, parts)
    const { blocks, reply } = written
    if (reply !== undefined && blocks.length === 0) return answered(reply, attempts.at(-1))
    const attempt = await runAttempt({ ...written, number, saved: kept }, parts)
    attempts.push(attempt)
    if (attempt.result.exitCode === 0 || settings.maxRetriesOnError === 0) return concluded(attempt, parts)
    const repetitions = failures.add(failureOf(attempt.blocks, attempt.result))
    const progress = { number, startedAt, usedTokens: () => modelCalls.usage.summary().totalTokens }
    const stop = repeatedTooOften(repetitions, settings) ?? overLimit(progress, settings)
    if (stop !== undefined) return giveUp(attempt, stop, parts)
    const decision = await decide({ attempt, isRepeatedFailure: repetitions > 0 }, parts)
    if ('code' in decision) return giveUp(attempt, decision, parts)
    // To decide has taken time and tokens as well.
    const late = overLimit(progress, settings)
    if (late !== undefined) return giveUp(attempt, late, parts)
    await emitPlan({ attempt, correction: decision.correction }, parts)
    return undefined
  })
}

/** An answer without a program is the last one. */
function answered(reply: ModelReply, before?: Attempt): Ending {
  const stopReason = describeUnfinished(reply)
  return {
    ...(reply.text === '' && before !== undefined
      ? resultOf(before)
      : { content: reply.text, origin: 'model' }),
    isCut: isCut(reply),
    ...(stopReason === undefined ? {} : { stopReason }),
  }
}

function resultOf({ content }: Attempt): Pick<Ending, 'content' | 'origin'> {
  return { content, origin: 'program' }
}

async function runAttempt(
  { number, ...written }: WrittenProgram & Pick<Attempt, 'number'> & Pick<TurnParts, 'saved'>,
  parts: AttemptParts,
): Promise<Attempt> {
  const { settings, context, run } = parts
  const { name: agent } = settings
  await run.emit({
    type: 'code-generated',
    agent,
    retryAttempt: number,
    content: written.text,
    // A copy: a reader of the event must not be able to change what is run.
    codeBlocks: structuredClone(written.blocks),
  })
  const program = { ...written, retryAttempt: number }
  const ran = await runTurnProgram(program, parts).catch(async (error: unknown) => {
    if (run.signal.aborted) await context.add(outputMessage(agent, cancelledText))
    throw error
  })
  await context.add(outputMessage(agent, ran.content, ran.pictures))
  run.signal.throwIfAborted()
  return { ...ran, number }
}

const cancelledText = 'The turn was cancelled before anything is known to have come of this program.'

/** What the model wants to do about a failure; a notice when it wants no further try, or cannot say. */
async function decide(
  { attempt, isRepeatedFailure }: { readonly attempt: Attempt; readonly isRepeatedFailure: boolean },
  { modelCalls }: AttemptParts,
): Promise<{ readonly correction: string } | Notice> {
  try {
    const { retry, reason } = await modelCalls.decide(retryQuestion(attempt, isRepeatedFailure))
    return retry
      ? { correction: reason }
      : { code: 'retry-declined', message: `Stopped retrying: ${reason}`, data: { reason } }
  } catch (error) {
    if (!isFailureOfModel(error)) throw error
    return {
      code: 'retry-undecided',
      message: `Stopped retrying because the model could not decide: ${error.message}`,
      data: { reason: error.message, ...error.data },
    }
  }
}

function isFailureOfModel(error: unknown): error is FencedError {
  const codes = ['MODEL_FAILED', 'MODEL_REFUSED', 'MODEL_GAVE_NO_OBJECT']
  return FencedError.isInstance(error) && codes.includes(error.code)
}

/** Who watches, who gets the response, and the model read why there is no further try. */
async function giveUp(attempt: Attempt, reason: Notice, parts: AttemptParts): Promise<Ending> {
  const { name: agent } = parts.settings
  await parts.run.emit({ type: 'notice', agent, notice: reason })
  await parts.context.add(outputMessage(agent, reason.message))
  return { ...(await reflect(attempt, parts)), stopReason: reason.message }
}

/** The plan becomes part of the conversation, so that the next program follows it. */
async function emitPlan(
  { attempt, correction }: { readonly attempt: Attempt; readonly correction: string },
  { settings, context, run }: AttemptParts,
): Promise<void> {
  const content = `Attempt number: ${attempt.number + 1}\nProposed correction: ${correction}`
  await context.add(outputMessage(settings.name, content))
  await run.emit({
    type: 'code-generated',
    agent: settings.name,
    retryAttempt: attempt.number,
    content,
    codeBlocks: [],
    plan: { cause: attempt.content, correction },
  })
}

/** What the agent says of its last program; only its result where the program was repeated too often. */
function concluded(attempt: Attempt, parts: AttemptParts): Ending | Promise<Ending> {
  if (attempt.ending === undefined) return reflect(attempt, parts)
  return { ...resultOf(attempt), stopReason: attempt.ending, endsRun: true }
}

/** What the agent says in the end. Of code that was not to be run there is nothing to be said but that. */
async function reflect(attempt: Attempt, { settings, modelCalls }: AttemptParts): Promise<Ending> {
  if (attempt.result.status === 'denied' || !settings.reflectOnResult) return resultOf(attempt)
  return answered(await modelCalls.answer(reflectionQuestion), attempt)
}

interface WrittenProgram {
  readonly text: string
  /** Absent where it was written before the agent was saved. */
  readonly reply?: ModelReply
  /** None where the model wants nothing to be run. */
  readonly blocks: readonly CodeBlock[]
  /** The programs that are not run, for the model. */
  readonly withheld: string
}

/** Asks for programs. A model that sends blocks none of which is run learns why, once: its answer may be meant so. */
function writer({
  settings,
  executor,
  context,
  modelCalls,
  run,
}: AttemptParts): () => Promise<WrittenProgram> {
  let isTold = false
  const { name: agent } = settings
  const write = async (): Promise<WrittenProgram> => {
    const reply = await modelCalls.answer()
    const written = programsAmong(blocksIn(reply.text, { isCut: isCut(reply) }), { ...settings, executor })
    const { why } = written
    if (isTold || why === undefined) return { ...written, text: reply.text, reply }
    isTold = true
    await run.emit({ type: 'notice', agent, notice: { code: 'not-run', message: why } })
    await context.add(outputMessage(agent, `${why}\n${answerAgain}`))
    return await write()
  }
  return write
}

const answerAgain =
  'If one of these blocks is a program, send it again under a language that is run. If nothing was to be run, give your whole answer again.'

/** What was written before the agent was saved. It is part of the conversation already. */
function writtenBefore(
  { question: { context: text, blocks } }: SavedProgram,
  { settings, executor }: AttemptParts,
): WrittenProgram {
  return { text, blocks, withheld: programsAmong(blocksIn(text), { ...settings, executor }).withheld }
}
