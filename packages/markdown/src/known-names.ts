import { FencedError } from '@fenced/errors'

/** @throws FencedError `INVALID_OPTIONS` for a name that is not an option. */
export function knownNames<Options extends object>(
  options: Options,
  names: Readonly<Record<keyof Options, true>>,
  of: string,
): Options {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(names, name))
  if (unknown.length === 0) return options
  const quoted = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(', ')
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong options for ${of}: unknown ${quoted(unknown)}. The options are ${quoted(Object.keys(names))}.`,
    data: { option: unknown.join(', ') },
  })
}
