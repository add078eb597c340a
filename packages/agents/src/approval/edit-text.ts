import type { CodeBlock } from '@fenced/core'

/** A model has to know what was run, when it is not what it wrote. */
export function editText({
  blocks,
  reason = '',
}: {
  readonly blocks: readonly CodeBlock[]
  readonly reason?: string | undefined
}): string {
  const why = reason === '' ? '' : ` (${reason})`
  const programs = blocks.map(({ language, code }) => `~~~~${language}\n${code.replace(/\n?$/, '\n')}~~~~`)
  return `The code was changed before it was run${why}, into this:\n\n${programs.join('\n\n')}\n\n`
}
