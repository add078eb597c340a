import { FencedError } from '@fenced/core'

/** What is wrong with a runner that says this first; `undefined` when it is ready. */
export function greeting(
  kind: string,
  [first = '', second = '']: readonly string[],
): FencedError | undefined {
  if (kind === 'h') return undefined
  if (kind === 'p') {
    return new FencedError({
      code: 'PRELOAD_FAILED',
      message: `The module ${first}, which \`preload\` names, cannot be imported: ${second}. Install it for this Python, or leave it out.`,
      data: { module: first, reason: second },
    })
  }
  if (kind === 'u') {
    return new FencedError({
      code: 'RUNNER_UNSUPPORTED',
      message: `This Python cannot run programs as forks of itself: ${first}.`,
      data: { reason: first },
    })
  }
  return new FencedError({
    code: 'RUNNER_DIED',
    message: 'The Python that was to run programs as forks of itself ended before it was ready.',
  })
}

/** Maximum length of the quoted output of a runner, in UTF-16 code units. */
const wordsLength = 2_000

/** Returns the last output of a runner as a sentence to append, or an empty string. */
export function quoteLastWords(lastWords: string): string {
  return lastWords === '' ? '' : ` Its last words: ${lastWords.slice(-wordsLength)}`
}

/** What to throw for a runner that could not be started: where it ended without a word of ours, why that may be. */
export function startFailure(error: unknown, preload: readonly string[], lastWords: string): unknown {
  if (!FencedError.isInstance(error) || error.code !== 'RUNNER_DIED') return error
  const words = quoteLastWords(lastWords)
  return preload.length === 0
    ? new FencedError({
        code: 'RUNNER_UNSUPPORTED',
        message: `This Python ended at once.${words}`,
        data: { output: lastWords.slice(-wordsLength) },
      })
    : new FencedError({
        code: 'PRELOAD_FAILED',
        message: `Python ended while it imported what \`preload\` names (${preload.join(', ')}). Leave out what cannot be imported.${words}`,
        data: { module: preload.join(', '), output: lastWords.slice(-wordsLength) },
      })
}
