import { z } from '../zod.ts'
import { parseOptions } from './parse-options.ts'

/** The names of options. A new option needs a row, or the program does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>

/**
 * Returns options whose values are checked elsewhere, after refusing names that are not options, and anything but an object. Cheap
 * enough for every call.
 *
 * @throws FencedError `INVALID_OPTIONS`, like {@link parseOptions}.
 */
export function knownOptions<Options extends object>(
  options: Options,
  names: OptionNames<Options>,
  of: string,
): Options {
  const isKnown = (name: string) => Object.hasOwn(names, name)
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  if (isObject && Object.keys(options).every(isKnown)) return options
  const shape = Object.keys(names).map((name) => [name, z.unknown().optional()])
  parseOptions(z.strictObject(Object.fromEntries(shape)), options, of)
  return options
}
