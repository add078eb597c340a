import { raceTimeout } from '@fenced/core/internal'

/** How long a start waits for slower engines once an engine suits it, in milliseconds. */
const shortMs = 1_000

/** Resolves when all questions are answered, or a moment after the first that is answered with `true`. */
export async function soonest(questions: readonly Promise<boolean>[], graceMs = shortMs): Promise<void> {
  const all = Promise.all(questions)
  const first = await firstFound(questions.map(async (each) => (await each) || undefined))
  if (first === true) await raceTimeout(all, graceMs)
}

/**
 * Returns the first answer that is not `undefined`; `undefined` when all answers are.
 *
 * @throws the first error, when no answer was found.
 */
export async function firstFound<Answer>(
  questions: readonly Promise<Answer | undefined>[],
): Promise<Answer | undefined> {
  const found = questions.map(async (question) => (await question) ?? Promise.reject(none))
  try {
    return await Promise.any(found)
  } catch (error) {
    const failed = (error as AggregateError).errors.find((each) => each !== none)
    if (failed !== undefined) throw failed
    return undefined
  }
}

const none = Symbol('no answer')
