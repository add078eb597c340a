import { type BlockResult, FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Repair } from './repair.ts'

const modules = 'import fcntl, os, random, select, signal, socket, subprocess, sys, threading, time'
/** Time limits for a cell, and for one that hangs without its repair. */
const cellMs = 120_000
const hangMs = 5_000
/** Commands of processes differ between machines. */
const processes = /running processes: .*? Their end cannot be seen from this state\./

/** A session that runs the programs of repairs, each from the same start. */
export class RepairedSession implements AsyncDisposable {
  readonly #executor: LocalCommandLineCodeExecutor

  private constructor(python: string) {
    this.#executor = new LocalCommandLineCodeExecutor({ python, stateful: true, killGraceMs: 500 })
  }

  static async start(python: string): Promise<RepairedSession> {
    const session = new RepairedSession(python)
    await session.#cell(modules)
    await session.#executor.session?.checkpoint('start')
    return session
  }

  /** Runs the program of a repair. `hangs` expects that it does not end. */
  async show({ before, undone = '', after }: Repair, hangs = false): Promise<string> {
    await this.#executor.session?.restore('start')
    await this.#cell(before)
    const first = await this.#cell(undone)
    const notice = await this.#undo()
    const second = notice === 'NO_CHECKPOINT' ? '' : await this.#cell(after, hangs ? hangMs : cellMs)
    const shown = [first, second, notice].filter((text, index) => index < 1 || text !== '').join(' | ')
    return shown.replaceAll(this.#executor.workDir, 'DIRECTORY').replace(processes, 'running processes.')
  }

  async #cell(code: string, timeoutMs = cellMs): Promise<string> {
    const { blocks } = await this.#executor.execute([{ language: 'python', code }], { timeoutMs })
    const { status, stdout, stderr } = blocks[0] as BlockResult
    const printed = `${stdout}${stderr}`.trim()
    if (status === 'error') return printed.split('\n').at(-1) ?? ''
    return status === 'ok' ? printed : status
  }

  async #undo(): Promise<string> {
    try {
      const restoration = await this.#executor.session?.undo()
      const [notice] = restoration?.notices ?? []
      const { lost = '', notUndone = '' } = notice?.data ?? {}
      return notice?.code === 'state-restored' ? notUndone : `${notice?.code} ${lost}`.trim()
    } catch (error) {
      return FencedError.isInstance(error) ? error.code : `${error}`
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#executor.stop()
  }
}
