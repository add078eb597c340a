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
    })
  }
  if (kind === 'u') {
    return new FencedError({
      code: 'RUNNER_UNSUPPORTED',
      message: `This Python cannot run programs as forks of itself: ${first}.`,
    })
  }
  return new FencedError({
    code: 'RUNNER_DIED',
    message: 'The Python that was to run programs as forks of itself ended before it was ready.',
  })
}
