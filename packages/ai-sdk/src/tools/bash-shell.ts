import { randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import { afterTime } from '@fenced/shared'
import type { ProcessWithStdin, SandboxSession } from '../ai-sdk.ts'
import type { KeptText } from './kept-text.ts'

export interface ShellRun {
  readonly output: KeptText
  readonly timeoutMs: number
  readonly abortSignal: AbortSignal | undefined
}

/** What became of a command. After the last two the shell is of no use any more. */
export type ShellOutcome =
  | { readonly kind: 'done'; readonly exitCode: number }
  | { readonly kind: 'late' | 'ended' }

/**
 * Reads a mark and a command, each up to a NUL, runs the command in its own shell, and writes the mark and the exit code after
 * the output. Commands have empty input, because the shell's input contains the next command.
 */
const loop = `exec 2>&1
while IFS= read -r -d "" fenced_mark && IFS= read -r -d "" fenced_command; do
  eval "$fenced_command" </dev/null
  printf "\\036%s %s\\036" "$fenced_mark" "$?"
done`

/** A bash that stays in a sandbox, with both of its streams in one. */
export class BashShell {
  readonly #process: ProcessWithStdin
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>
  readonly #stdout: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  /** What was read and is not known to be output. */
  #open = ''

  static async start(session: SandboxSession): Promise<BashShell> {
    const { exitCode } = await session.run({ command: 'command -v bash' })
    if (exitCode !== 0) {
      throw new FencedError({
        code: 'SANDBOX_COMMAND_FAILED',
        message: 'The sandbox has no bash. Use an image that has it, or the tool without `claudeBash`.',
        data: { program: 'bash' },
      })
    }
    const process = await session.spawn({ command: `exec bash --norc -c '${loop}'`, stdin: true })
    return new BashShell(process as ProcessWithStdin)
  }

  private constructor(process: ProcessWithStdin) {
    this.#process = process
    this.#stdin = process.stdin.getWriter()
    this.#stdout = process.stdout.getReader()
  }

  async run(command: string, { output, timeoutMs, abortSignal }: ShellRun): Promise<ShellOutcome> {
    const mark = randomUUID()
    let isLate = false
    const stop = () => void this.#process.kill()
    using _ = afterTime(timeoutMs, () => {
      isLate = true
      stop()
    })
    abortSignal?.addEventListener('abort', stop, { once: true })
    try {
      await this.#stdin.write(new TextEncoder().encode(`${mark}\0${command}\0`)).catch(() => {})
      const exitCode = await this.#readTo(mark, output)
      return exitCode === undefined ? { kind: isLate ? 'late' : 'ended' } : { kind: 'done', exitCode }
    } finally {
      abortSignal?.removeEventListener('abort', stop)
    }
  }

  async end(): Promise<void> {
    await this.#process.kill()
  }

  /** Returns the exit code after the mark; `undefined` if the output ends earlier. */
  async #readTo(mark: string, output: KeptText): Promise<number | undefined> {
    const pattern = new RegExp(`\\x1e${mark} (\\d+)\\x1e`)
    const longest = mark.length + 6
    for (;;) {
      const { done, value } = await this.#stdout.read()
      this.#open += this.#decoder.decode(value, { stream: !done })
      const found = pattern.exec(this.#open)
      const isWhole = found !== null || done
      const end = found?.index ?? (isWhole ? this.#open.length : Math.max(this.#open.length - longest, 0))
      output.add(this.#open.slice(0, end))
      this.#open = this.#open.slice(end + (found?.[0].length ?? 0))
      if (isWhole) return found === null ? undefined : Number(found[1])
    }
  }
}
