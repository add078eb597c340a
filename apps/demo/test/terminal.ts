import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { requirement } from '@fenced/testing'
import { folder } from './demo.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname
const player = new URL('../../../packages/agents/test/terminal/programs/pseudo_terminal.py', import.meta.url)
  .pathname

/** What the tests need of this machine. */
export const pseudoTerminal = requirement(
  'python',
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 that can open a pseudo-terminal',
)

/** One step of somebody at a terminal: they wait for a text behind the one before, or type. */
export type Step =
  | { readonly expect: string }
  | { readonly type: string }
  /** In seconds. */
  | { readonly pause: number }
  | { readonly signal: number }
  | { readonly hangUp: true }

export interface AtTerminal {
  /** As the demo wrote it. */
  readonly raw: string
  /** Without colors and movements of the cursor, with plain line breaks. */
  readonly output: string
  /** Negative: the signal that ended it. */
  readonly exitCode: number
}

export interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  /** What is started; the demo itself when left out. */
  readonly command?: readonly string[]
}

/** Somebody uses the demo in a real pseudo-terminal, until it has ended by itself and has given the terminal back. */
export async function atTerminal(
  args: readonly string[],
  steps: readonly Step[],
  { columns = 80, env = {}, command }: TerminalOptions = {},
): Promise<AtTerminal> {
  const demo = command ?? [process.execPath, '--conditions=@fenced/source', main]
  const child = spawn('python3', [player], { stdio: ['pipe', 'pipe', 'inherit'] })
  const environment = { TERM: 'xterm', INIT_CWD: folder, TMPDIR: folder, NO_COLOR: '1', ...env }
  child.stdin.end(JSON.stringify({ command: [...demo, ...args], columns, env: environment, steps }))
  const { output, exitCode, restored, problem } = JSON.parse(await text(child.stdout))
  if (problem !== null) throw new Error(`${problem}\n${output}`)
  if (!restored) throw new Error(`The terminal was not given back as it was.\n${output}`)
  return { raw: output, output: plain(output), exitCode }
}

/** The steps of somebody who waits for a question and answers it. */
export function answering(answer: string): Step[] {
  return [{ expect: questionEnd }, { type: `${answer}\r` }]
}

/** With which the question of a turn ends. */
const questionEnd = 'exit ends: '

function plain(output: string): string {
  return stripVTControlCharacters(output).replaceAll('\r\n', '\n').replaceAll('\r', '')
}

/** The lines that are wider than 40 columns, but for programs, what programs write, and paths. */
export function wideLines(output: string): string[] {
  const notOurs = /^ {4}|^ {2}[>!+-] |fenced-demo-\w+/
  return output
    .replace('Starting ...', '')
    .split('\n')
    .filter((line) => line.length > 40 && !notOurs.test(line))
}
