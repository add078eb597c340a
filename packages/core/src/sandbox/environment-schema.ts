import { FencedError } from '@fenced/errors'
import { knownOptions, type OptionNames } from '../options/known-options.ts'
import { parseOptions } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import { spawnOptionNames } from './option-names.ts'
import type { SpawnOptions, TerminalSize } from './sandbox-process.ts'

/** Returns why a variable cannot be passed to every program unchanged. A shell drops variables with other names without an error. */
export function problemOfVariable(name: string, value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return 'must have a name of letters (A-Z, a-z), digits and _, without a digit at the beginning'
  return problemOfText(value)
}

/** Variables for programs: the same rule in every executor. */
export const environmentSchema = z.record(z.string(), z.string()).superRefine((env, { addIssue }) => {
  for (const [name, value] of Object.entries(env)) {
    const message = problemOfVariable(name, value)
    if (message !== undefined) addIssue({ code: 'custom', path: [name], message })
  }
})

/**
 * Checks what a program is started with.
 *
 * @param more - Names of further options.
 * @throws FencedError `INVALID_OPTIONS` for an unknown option, and for a variable or an argument that would not arrive unchanged.
 */
export function checkSpawn<Options extends SpawnOptions>(
  command: readonly string[],
  options: Options,
  more?: OptionNames<Omit<Options, keyof SpawnOptions>>,
): Options {
  const {
    env = {},
    terminal,
    stdin,
  } = knownOptions<SpawnOptions>(options, { ...spawnOptionNames, ...more }, 'spawn()')
  const texts = command.map((text, index) => [`command.${index}`, problemOfText(text)] as const)
  const variables = Object.entries(env).map(
    ([name, value]) => [`env.${name}`, problemOfVariable(name, value)] as const,
  )
  for (const [option, problem] of [...texts, ...variables]) {
    if (problem === undefined) continue
    const message = `Wrong options for spawn(): ${JSON.stringify(option)} ${problem}.`
    throw new FencedError({ code: 'INVALID_OPTIONS', message, data: { option } })
  }
  if (terminal !== undefined) checkTerminal(terminal, stdin)
  return options
}

const terminalSizeSchema = z.strictObject({
  columns: z.int().min(1).max(65_535),
  rows: z.int().min(1).max(65_535),
})

/** @throws FencedError `INVALID_OPTIONS`. */
export function checkTerminalSize(size: TerminalSize): TerminalSize {
  return parseOptions(terminalSizeSchema, size, 'a terminal')
}

function checkTerminal(size: TerminalSize, stdin: SpawnOptions['stdin']): void {
  checkTerminalSize(size)
  if (stdin !== 'none') return
  const message =
    'Wrong options for spawn(): "stdin" cannot be "none" with a "terminal", which is always open.'
  throw new FencedError({ code: 'INVALID_OPTIONS', message, data: { option: 'stdin' } })
}

function problemOfText(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'must be a string'
  if (text.includes('\0')) return 'must not contain a NUL'
  return text.isWellFormed() ? undefined : 'must not contain half a surrogate pair, which UTF-8 cannot encode'
}
