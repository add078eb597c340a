import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { requirement } from '@fenced/testing'
import { fencedProgram } from './command.ts'

const player = new URL('../../terminal/test/terminal/programs/pseudo_terminal.py', import.meta.url).pathname

/** What the tests need of this machine. */
export const pseudoTerminal = requirement(
  'python',
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 that can open a pseudo-terminal',
)

/** One step of a person at a terminal, who waits for a text after the previous one, or types. */
export type Step =
  | { readonly expect: string }
  | { readonly type: string }
  /** In seconds. */
  | { readonly pause: number }
  | { readonly signal: number }
  /** Columns and rows. */
  | { readonly resize: readonly [number, number] }
  | { readonly hangUp: true }

export interface AtTerminal {
  /** As the program wrote it. */
  readonly raw: string
  /** Without colors and movements of the cursor, with plain line breaks. */
  readonly output: string
  /** Negative: the signal that ended it. */
  readonly exitCode: number
}

export interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  /** Default: `fenced`. */
  readonly program?: readonly string[]
}

/** A person uses a program in a real pseudo-terminal, until it has ended by itself and has restored the terminal. */
export async function atTerminal(
  args: readonly string[],
  steps: readonly Step[],
  { columns = 80, env = {}, program = fencedProgram }: TerminalOptions = {},
): Promise<AtTerminal> {
  const child = spawn('python3', [player], { stdio: ['pipe', 'pipe', 'inherit'] })
  const environment = { TERM: 'xterm', NO_COLOR: '1', ...env }
  child.stdin.end(JSON.stringify({ command: [...program, ...args], columns, env: environment, steps }))
  const { output, exitCode, restored, problem } = JSON.parse(await text(child.stdout))
  if (problem !== null) throw new Error(`${problem}\n${output}`)
  if (!restored) throw new Error(`The modes of the terminal were not restored.\n${output}`)
  return { raw: output, output: plain(output), exitCode }
}

/** The steps of a person who waits for a question and answers it. */
export function answering(answer: string): Step[] {
  return [{ expect: questionEnd }, { type: `${answer}\r` }]
}

/** The end of the question of a turn. */
const questionEnd = 'exit ends: '

function plain(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r\n', '\n').replaceAll('\r', '')
}

/** The lines that are wider than 40 columns, without programs, their output, and paths. */
export function wideLines(output: string): string[] {
  const notOurs = /^ {4}|^ {2}[>!+-] |\/\S{8}/
  return output.split('\n').filter((line) => line.length > 40 && !notOurs.test(line))
}
