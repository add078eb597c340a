import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { CodeBlock, CodeExecutor } from '@fenced/core'
import type { TimedElsewhere } from './measure.ts'

/** Text as a program prints it that trains a model, of a size in bytes. */
export function logLines(size: number): Buffer {
  return Buffer.alloc(size, 'epoch 017  loss 0.0421  accuracy 0.9873  learning rate 0.0003\n')
}

/** Runs a program as Node does without Fenced, its streams piped; resolves to the bytes of stdout once it is over. */
export async function bareProcess(program: string, args: readonly string[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let byteCount = 0
  child.stdout.on('data', (chunk: Uint8Array) => {
    byteCount += chunk.length
  })
  child.stderr.resume()
  child.once('error', reject)
  child.once('close', () => resolve(byteCount))
  return promise
}

/** What a block prints, trimmed; what a bench relies on must go well. */
export async function programOutput(executor: CodeExecutor, block: CodeBlock): Promise<string> {
  const { status, output } = await executor.execute([block])
  if (status !== 'ok') throw new Error(`The ${block.language} block ended with ${status}: ${output}`)
  return output.trim()
}

/** A resident Python process that answers requests: one JSON line per request and per answer. */
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

/** What the other process did, as it measured it itself. */
export interface AutoGenAnswer extends TimedElsewhere {
  readonly exitCode: number
  /** Characters of output. */
  readonly length: number
  /** By how many bytes the most memory that it ever had grew. */
  readonly grewBy: number
}

/** AutoGen's executor, in a Python process that stays. */
export class AutoGen implements AsyncDisposable {
  readonly #driver: PythonDriver

  /** `program` is the Python file that speaks to it. */
  static async open(python: string, program: URL, args: readonly string[] = []): Promise<AutoGen> {
    return new AutoGen(await PythonDriver.open(python, program, args))
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** Its `start()`, of a new executor. */
  async start(): Promise<AutoGenAnswer & AsyncDisposable> {
    const answer = await this.#driver.ask<AutoGenAnswer>({ do: 'start' })
    return { ...answer, [Symbol.asyncDispose]: () => this.stop() }
  }

  /** Its `execute_code_blocks([block])`. */
  async run(language: string, code: string): Promise<AutoGenAnswer> {
    const answer = await this.#driver.ask<AutoGenAnswer>({ do: 'run', language, code })
    if (answer.exitCode !== 0) throw new Error(`AutoGen's block ended with exit code ${answer.exitCode}.`)
    return answer
  }

  async stop(): Promise<void> {
    await this.#driver.ask({ do: 'stop' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}
