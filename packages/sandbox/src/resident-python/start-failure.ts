import { FencedError } from '@fenced/core'

/** Returns the error in the first message of a runner, or `undefined` if the runner is ready. */
export function helloProblem(
  kind: string,
  [first = '', second = '']: readonly string[],
): FencedError | undefined {
  if (kind === 'h') return undefined
  if (kind === 'p') {
    return new FencedError({
      code: 'PRELOAD_FAILED',
      message: `The module ${first} in \`preload\` cannot be imported: ${second}. Fix the module, install it for this Python, or remove it from \`preload\`.`,
      data: { module: first, reason: second },
    })
  }
  if (kind === 'u') {
    return new FencedError({
      code: 'RESIDENT_PYTHON_UNSUPPORTED',
      message: `This Python cannot run programs in forks: ${first}.`,
      data: { reason: first },
    })
  }
  return new FencedError({
    code: 'RESIDENT_PYTHON_DIED',
    message: 'The resident Python exited before it was ready. To run blocks without it, set `warm: false`.',
  })
}

/** Maximum length of the quoted output of a runner, in UTF-16 code units. */
const wordsLength = 2_000

/** Returns the last output of a runner as a sentence to append, or an empty string. */
export function quoteStderr(stderr: string): string {
  return stderr === '' ? '' : ` Its last output: ${stderr.slice(-wordsLength)}`
}

/** Returns the error for a runner that could not be started, with the likely reason if it ended without a message. */
export function startFailure(error: unknown, preload: readonly string[], stderr: string): unknown {
  if (!FencedError.isInstance(error) || error.code !== 'RESIDENT_PYTHON_DIED') return error
  const words = quoteStderr(stderr)
  return preload.length === 0
    ? new FencedError({
        code: 'RESIDENT_PYTHON_UNSUPPORTED',
        message: `This Python ended before it was ready.${words}`,
        data: { output: stderr.slice(-wordsLength) },
      })
    : new FencedError({
        code: 'PRELOAD_FAILED',
        message: `Python ended while it imported the modules of \`preload\` (${preload.join(', ')}). Remove modules that cannot be imported.${words}`,
        data: { module: preload.join(', '), output: stderr.slice(-wordsLength) },
      })
}
