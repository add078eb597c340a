import { spawn } from 'node:child_process'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../src/main.ts')

/** How a test starts the command. */
export const fencedProgram = [process.execPath, '--conditions=@fenced/source', main]

/** Options that run code on every system, for tests of something else than isolation. */
export const anywhere = ['--isolation', 'none'] as const

interface CommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** What a command came to. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process of the command `fenced`, as its user starts it. */
export class FencedCommand {
  readonly child
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''

  constructor(
    args: readonly string[],
    { cwd, env = {}, program = fencedProgram }: CommandOptions & { program?: readonly string[] } = {},
  ) {
    const [executable = '', ...before] = program
    const { promise, resolve } = Promise.withResolvers<Ended>()
    this.ended = promise
    this.child = spawn(executable, [...before, ...args], {
      cwd,
      env: { ...process.env, ...env },
    })
    this.child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#stdout += text
    })
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text
    })
    this.child.stdin.on('error', () => {})
    this.child.on('close', (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }))
  }

  /** What it has printed so far. */
  get text(): string {
    return this.#stdout
  }

  /** Resolves when it has printed this. */
  async printed(text: string): Promise<void> {
    await this.#found(() => this.#stdout.includes(text), text)
  }

  /** The first thing on standard error that a pattern captures. */
  async said(pattern: RegExp): Promise<string> {
    await this.#found(() => pattern.test(this.#stderr), pattern)
    return pattern.exec(this.#stderr)?.[1] ?? ''
  }

  async #found(isThere: () => boolean, what: string | RegExp): Promise<void> {
    while (!isThere()) {
      if (this.child.exitCode !== null) {
        throw new Error(`It has ended without ${what}: ${this.#stdout}${this.#stderr}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Runs it to its end. */
export async function fenced(
  args: readonly string[],
  { input = '', ...options }: { input?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const command = new FencedCommand(args, options)
  command.child.stdin.end(input)
  return command.ended
}

/**
 * One whose standard streams are a terminal: all that it writes there is its standard output here.
 *
 * @param options - `columns`: of the terminal; 0 for one that does not say.
 */
export function terminalCommand(
  args: readonly string[],
  { env = {}, columns = 0 }: { readonly env?: NodeJS.ProcessEnv; readonly columns?: number } = {},
): FencedCommand {
  const inTerminal = ['python3', '-c', 'import pty, sys; pty.spawn(sys.argv[1:])']
  const withColumns = ['sh', '-c', `stty columns ${columns}; exec "$@"`, 'sh']
  return new FencedCommand(args, { env, program: [...inTerminal, ...withColumns, ...fencedProgram] })
}

/** One of a session of its own, which has no terminal. */
export function commandWithoutTerminal(args: readonly string[]): FencedCommand {
  const alone = ['python3', '-c', 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])']
  return new FencedCommand(args, { program: [...alone, ...fencedProgram] })
}
