import type { Isolation } from '../../vocabulary/isolation.ts'
import { type BlockEnd, blockEnd } from '../block-end.ts'
import type { BlockOutcome } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import type { BlockRecorder } from '../output/block-recorder.ts'
import type { ProgramFiles } from './program-files.ts'

/**
 * Watches one run of a program whose file other processes can write to. An interpreter that was given the program's content, or whose driver
 * takes text, has not read the file.
 */
export class FileWatch {
  readonly #program: ProgramFiles
  readonly #readsFile: boolean
  readonly #isolation: Isolation
  #hasChanged = false
  /** Of the file, right before its interpreter starts. */
  #version: string | undefined

  constructor(program: ProgramFiles, { driver, capabilities }: EngineContext) {
    this.#program = program
    this.#readsFile = driver.takesText !== true
    this.#isolation = capabilities.isolation
  }

  /** Compares the file, unless a change is known already. */
  async check(): Promise<boolean> {
    if (this.#readsFile) await this.#program.write()
    this.#hasChanged ||= this.#readsFile && (await this.#program.hasFileChanged())
    this.#version = this.#program.version
    return this.#hasChanged
  }

  /** Returns the end of a run, which counts only if the executed file was the program's own. Both ends are reported. */
  async judge(end: BlockEnd, outcome: BlockOutcome | undefined, recorder: BlockRecorder): Promise<BlockEnd> {
    const hasRun = outcome?.status !== 'invalid' && outcome?.status !== 'denied'
    this.#hasChanged ||= outcome?.tookContent === false
    const isKnown = outcome?.tookContent === true || !hasRun || !this.#program.isWritten
    if (!this.#hasChanged && (isKnown || !(await this.#hasChangedSince()))) return end
    if (end.notice !== undefined) recorder.notice(end.notice)
    return { ...end, ...blockEnd({ status: 'died' }), notice: changed(this.#program.block.path) }
  }

  /** In a sandbox on this machine, another sandbox may have replaced the file and put it back, so any change counts. */
  async #hasChangedSince(): Promise<boolean> {
    // Without isolation, a program may clear its directory, as `git clean` does.
    if (this.#isolation === 'none' && this.#program.hasLostFile) return this.#hasChanged
    const before = this.#isolation === 'bubblewrap' ? this.#version : undefined
    return before === undefined ? await this.check() : this.#program.version !== before
  }
}

function changed(file: string) {
  return {
    code: 'program-changed',
    message: `The file of this program was changed or removed before the program ended, so another program may have run: ${file}. Do not rely on the output. Stop other processes that write to the working directory, and run the program again.`,
    data: { file },
  } as const
}
