import { FencedError } from '@fenced/core'

/** @param what - what is not possible, as the beginning of a sentence. */
export function noTerminal(what: string, problems: readonly string[] = []): FencedError {
  const reason = problems.join(', ')
  return new FencedError({
    code: 'NO_TERMINAL',
    message: `${what}${reason && ` (${reason})`}. Use an image with Python, or start the process without \`terminal\`.`,
    ...(reason === '' ? {} : { data: { reason } }),
  })
}
