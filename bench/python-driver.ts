import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A Python process that stays and does what it is asked: a request a line, an answer a line, both JSON. */
export class PythonDriver implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  readonly #answers: AsyncIterator<string>

  /** `program` is the Python file. */
  static async open(python: string, program: URL, args: readonly string[] = []): Promise<PythonDriver> {
    const child = spawn(python, [fileURLToPath(program), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(child, 'spawn')
    return new PythonDriver(child)
  }

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#process = child
    this.#answers = createInterface(child.stdout)[Symbol.asyncIterator]()
    // Its end is seen by the missing answer.
    child.stdin.on('error', () => {})
  }

  async ask<Answer>(request: object): Promise<Answer> {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error('The Python process ended; what it said is above.')
    return JSON.parse(value)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end()
    if (this.#process.exitCode === null) await once(this.#process, 'exit')
  }
}
