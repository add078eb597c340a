import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { requirement } from '@fenced/testing'

export const python = requirement(
  'python',
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 that can open a pseudo-terminal',
)

const player = new URL('programs/pseudo_terminal.py', import.meta.url).pathname

/** One step of a dialogue: wait for a text behind the one before, type, give time, or go away. */
export type Step =
  | { readonly expect: string }
  | { readonly type: string }
  /** In hexadecimal. */
  | { readonly bytes: string }
  /** In seconds. */
  | { readonly pause: number }
  | { readonly signal: number }
  | { readonly hangUp: true }

export interface Dialogue {
  /** Of a program beside this file. */
  readonly program: string
  readonly args?: readonly string[]
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

export interface Played {
  readonly output: string
  /** What the program said between `<` and `>`. */
  readonly facts: readonly unknown[]
  /** Negative: the signal that ended it. */
  readonly exitCode: number
  /** Whether the modes of the terminal are as they were before. */
  readonly restored: boolean
  /** Why the dialogue could not be played to its end. */
  readonly problem: string | null
}

/** Plays a dialogue with a program in a real pseudo-terminal, until the program has ended by itself. */
export async function play({ program, args = [], columns = 80, env = {}, steps }: Dialogue): Promise<Played> {
  const path = new URL(`programs/${program}`, import.meta.url).pathname
  const command = [process.execPath, '--conditions=@fenced/source', path, ...args]
  // Whether who runs the tests wants colors is not part of a dialogue.
  const { NO_COLOR: _, FORCE_COLOR: __, ...own } = process.env
  const child = spawn('python3', [player], { stdio: ['pipe', 'pipe', 'inherit'], env: own })
  child.stdin.end(JSON.stringify({ command, columns, env: { TERM: 'xterm', ...env }, steps }))
  const played = JSON.parse(await text(child.stdout)) as Omit<Played, 'facts'>
  const facts = [...played.output.matchAll(/<(\{.*\})>/g)].map(([, fact = '']) => JSON.parse(fact))
  return { ...played, facts }
}
