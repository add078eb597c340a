import type { ProcessEnd, SandboxProcess } from '@fenced/core/sandbox'
import { TextTail } from '@fenced/shared'
import { lossOf } from '../sandbox-errors.ts'

/** How a command in a terminal began; `unusable` where the program that makes the terminal does not work. */
export type TerminalStart =
  | { readonly terminal: string }
  | { readonly notStarted: string }
  | { readonly unusable: string }

/**
 * The lines that a program which makes a terminal writes to stderr, after `fenced-terminal:`
 *
 * - `started` and the terminal's path.
 * - `not-started` and the code of the system's error.
 * - `taken` and how many bytes of input the terminal has taken since the line before.
 */
export class TerminalLines {
  onTaken: (count: number) => void = () => {}
  readonly #start = Promise.withResolvers<TerminalStart>()
  readonly #words = new TextTail(2_000)
  #rest = ''

  push(chunk: Uint8Array): void {
    this.#words.push(chunk)
    const lines = (this.#rest + Buffer.from(chunk).toString('latin1')).split('\n')
    this.#rest = (lines.pop() ?? '').slice(-200)
    for (const line of lines) this.#hear(line)
  }

  /** Rejects with `SANDBOX_GONE` or `ENGINE_LOST` if the sandbox is lost before. */
  start(inner: SandboxProcess): Promise<TerminalStart> {
    return Promise.race([this.#start.promise, this.#endedBefore(inner)])
  }

  #hear(line: string): void {
    const [mark, word, value = ''] = line.split(' ')
    if (mark !== 'fenced-terminal:') return
    if (word === 'started') this.#start.resolve({ terminal: value })
    if (word === 'not-started') this.#start.resolve({ notStarted: value })
    if (word === 'taken') this.onTaken(Number(value))
  }

  async #endedBefore(inner: SandboxProcess): Promise<TerminalStart> {
    const end = await inner.ended
    const loss = lossOf(end, 'a terminal was opened')
    if (loss !== undefined) throw loss
    const words = this.#words.text.trim().split('\n').at(-1)
    return { unusable: words || (end.kind === 'exited' ? `exit code ${end.exitCode}` : end.message) }
  }
}

/** The end of a command that a terminal could not start. */
export function endNotStarted(program: string, systemCode: string): ProcessEnd {
  return {
    kind: 'not-started',
    reason: systemCode === 'ENOENT' ? 'not-found' : 'not-executable',
    message: `${program} could not be started in a terminal: ${systemCode}.`,
    data: { program, systemCode },
  }
}
