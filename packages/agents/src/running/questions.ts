import { type AskAnswer, FencedError } from '@fenced/core'

/** Answers to questions, keyed by the question's id. A question to a person is answered with its text. */
export type QuestionAnswers = Readonly<Record<string, AskAnswer<'code' | 'tool'> | string>>

/** How the questions between the steps of a run are answered. */
export interface QuestionOptions {
  /**
   * What a question about code, a tool call or a reply does. `ask`: the agent's `ask` or a person answers while the run waits. `suspend`: the
   * run ends with the status `waiting`. Then code is always asked about, also where the agent has no `ask`. Questions of a running program
   * do not change.
   *
   * With `suspend`, every agent that runs code or calls tools needs a `ledger` that other processes can reach.
   *
   * @default 'ask'
   */
  readonly onQuestion?: 'ask' | 'suspend' | undefined
  /** Answers to the questions that were open when the state was saved, keyed by id. @default none */
  readonly answers?: QuestionAnswers | undefined
}

/** Ends a run before a question that has no answer yet. */
export class Suspension extends Error {
  override readonly name = 'Suspension'

  constructor(id: string) {
    super(`The question ${id} waits for its answer.`)
  }
}

/** Whether an error is a suspension, or was caused by one, also in another installed copy of this package. */
export function isSuspension(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause.name === 'Suspension') return true
  return false
}

/**
 * Runs something that cannot wait for an answer, because it is not data.
 *
 * @param what - its name, for the error.
 * @throws FencedError `NOT_SUSPENDABLE` in place of a suspension.
 */
export async function unsuspended<Result>(
  { agent, what }: { readonly agent: string; readonly what: string },
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!isSuspension(error)) throw error
    throw new FencedError({
      code: 'NOT_SUSPENDABLE',
      message: `"${agent}" asks a question in ${what}, which cannot wait: only data can be saved. Nothing was run. Run it without \`onQuestion: 'suspend'\`, and answer the question with \`ask\`.`,
      data: { agent, what },
    })
  }
}

/** The answers that a run was given, each for one question. */
export class GivenAnswers {
  readonly suspends: boolean
  readonly #answers: Map<string, QuestionAnswers[string]>

  constructor({ onQuestion = 'ask', answers = {} }: QuestionOptions) {
    this.suspends = onQuestion === 'suspend'
    this.#answers = new Map(Object.entries(answers))
  }

  /** Whether {@link take} would return an answer. */
  has(id: string): boolean {
    return this.#answers.has(id)
  }

  /** The answer to a question; `undefined` if it is to be asked now. @throws {@link Suspension} */
  take(id: string): QuestionAnswers[string] | undefined {
    const answer = this.#answers.get(id)
    this.#answers.delete(id)
    if (answer === undefined && this.suspends) throw new Suspension(id)
    return answer
  }
}

/** The answers that a run was given; `undefined` if its questions are asked. */
export function givenAnswers({ onQuestion, answers }: QuestionOptions): GivenAnswers | undefined {
  if (onQuestion !== 'suspend' && answers === undefined) return undefined
  return new GivenAnswers({ onQuestion, answers })
}
