import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Sandbox, SandboxProcess, SpawnOptions } from '@fenced/core/sandbox'

export const screenSize = { columns: 100, rows: 30 }

/** A program in a terminal, and all that it has shown so far. */
export class Screen {
  readonly process: SandboxProcess
  readonly #chunks: Buffer[] = []
  #onOutput = Promise.withResolvers<void>()

  private constructor(process: SandboxProcess) {
    this.process = process
    process.stdout.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#onOutput.resolve()
      this.#onOutput = Promise.withResolvers()
    })
    process.stdout.on('end', () => this.#onOutput.resolve())
  }

  static async open(
    sandbox: Sandbox,
    command: readonly [string, ...string[]],
    options?: SpawnOptions,
  ): Promise<Screen> {
    return new Screen(await sandbox.spawn(command, { terminal: screenSize, ...options }))
  }

  static shell(sandbox: Sandbox, script: string): Promise<Screen> {
    return Screen.open(sandbox, ['/bin/sh', '-c', script])
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  get text(): string {
    return this.bytes.toString()
  }

  type(keys: string | Uint8Array): void {
    this.process.stdin?.write(keys)
  }

  /** Waits until a text is shown, at the latest until the end of the program. */
  async shows(text: string | RegExp): Promise<void> {
    for (;;) {
      const next = this.#onOutput.promise
      const shown = this.text
      if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return
      assert.ok(
        !this.process.stdout.readableEnded,
        `${JSON.stringify(text)} is not in ${JSON.stringify(shown)}`,
      )
      await next
    }
  }

  /** @returns the exit code. */
  async exitCode(): Promise<number | string> {
    const end = await this.process.ended
    if (!this.process.stdout.readableEnded) await once(this.process.stdout, 'end')
    return end.kind === 'exited' ? end.exitCode : end.kind
  }
}
