import { fileURLToPath } from 'node:url'
import type { Language } from './language.ts'
import { type NodeProcess, startNode, verifyPrinted } from './node-process.ts'

const preload = fileURLToPath(new URL('./waiting.cjs', import.meta.url))

/** A Node that was started before there is a program for it. A measuring device: a program could tell the difference. */
export class WaitingNode implements AsyncDisposable {
  readonly #process: NodeProcess

  constructor({ options, extension }: Language) {
    const args = [...options, '--require', preload, `not-there.${extension}`]
    this.#process = startNode(args, { stdin: 'pipe' })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Runs one program, which is its last. */
  async run(program: string): Promise<void> {
    this.#process.stdin?.end(program)
    verifyPrinted(await this.#process.printed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin?.end()
    await this.#process.printed
  }
}
