import { FencedError, type Notice } from '@fenced/core'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import { noticeOf, type PauseSwitch, type SharedStart } from '@fenced/core/internal'
import { errorMessage, reasonIn } from '@fenced/errors'
import { mayRest, whereIs } from '../exec/exec-target.ts'
import type { AroundBlocks } from './around-blocks.ts'
import type { CurrentSandbox, Incarnation } from './current-sandbox.ts'
import { copyFilesIn, copyFilesOut } from './files-of-blocks.ts'
import { isKept, isSilent, keptNotice, notBegunNotice, unseenEndNotice } from './kept-sandbox.ts'
import { isUnmounted, prepareExecs, type ReadySandbox } from './ready-sandbox.ts'
import { type SupervisedNetwork, startHelper } from './start-helper.ts'
import { replaced } from './supervise-options.ts'

/** Parts of {@link BlocksInSandbox}, which belong to its sandbox. */
export interface BlocksInSandboxParts {
  readonly workDirectory: HostWorkDirectory
  readonly network: SupervisedNetwork | undefined
  readonly current: CurrentSandbox
  readonly life: SharedStart<Incarnation>
  readonly pause: PauseSwitch
}

/** The work of a supervised sandbox around blocks: it replaces a lost sandbox, restarts a lost helper, and copies files. */
export class BlocksInSandbox implements AroundBlocks {
  readonly workDirectory: HostWorkDirectory
  readonly #parts: BlocksInSandboxParts
  /** What the next block reports, where its sandbox is not the one of the block before. */
  #news: Notice | undefined
  #wasStarted = false

  constructor(parts: BlocksInSandboxParts) {
    this.workDirectory = parts.workDirectory
    this.#parts = parts
  }

  get mayRest(): boolean {
    const { target } = this.#parts.current
    return target === undefined || mayRest(target.launched.backend)
  }

  /** Called after each start and, with `false`, after a stop. */
  setStarted(isStarted: boolean): void {
    this.#wasStarted = isStarted
    if (!isStarted) this.#news = undefined
  }

  /** Replaces the sandbox. `news` is reported with the next block. */
  async renew(news: Notice, { signal, notice }: StartContext): Promise<void> {
    const { current, life } = this.#parts
    current.forget()
    await life.get({ signal, onNotice: notice })
    this.#news = news
  }

  async beforeBlock({ signal, notice }: StartContext): Promise<void> {
    const { current, life } = this.#parts
    const { target } = current
    if (target !== undefined && (await isUnmounted(target, this.workDirectory))) current.forget()
    if (current.incarnation === undefined) {
      const isNew = this.#wasStarted
      await life.get({ signal })
      if (isNew) this.#news = replaced
    }
    if (this.#news !== undefined) notice(this.#news)
    this.#news = undefined
    await current.whileThere(async (incarnation) => {
      await this.#restartHelper(incarnation.target, { signal, notice })
      await copyFilesIn(incarnation.target, { signal, notice })
    }, signal)
  }

  async afterBlock(context: StartContext): Promise<void> {
    const { current, pause } = this.#parts
    const { target } = current
    if (target === undefined) return
    const copyOut = async () => {
      await copyFilesOut(target, context)
      prepareExecs(target)
    }
    await pause.whileRunning(copyOut, context.signal)
  }

  async silence(): Promise<Notice | undefined> {
    const backend = this.#parts.current.target?.launched.backend
    return backend !== undefined && (await isSilent(backend)) ? notBegunNotice(whereIs(backend)) : undefined
  }

  async afterStuckBlock({ notice }: StartContext): Promise<Notice | undefined> {
    const { current, life } = this.#parts
    const { target } = current
    if (target !== undefined && (await isSilent(target.launched.backend))) {
      const where = whereIs(target.launched.backend)
      if (isKept(target)) notice(keptNotice(where))
      else current.forget()
      return unseenEndNotice(where)
    }
    try {
      await life.stop()
    } catch (error) {
      const why = errorMessage(error)
      const message = `The block's sandbox could not be removed: ${why} Processes of the block may still be running in it. The next call removes it first.`
      notice({ code: 'leftovers-remain', message, data: { reason: why } })
    }
    return undefined
  }

  /** A program may have ended it, or the connection to it broke. */
  async #restartHelper(target: ReadySandbox, { signal, notice }: StartContext): Promise<void> {
    const { network } = this.#parts
    if (network === undefined || target.helper?.hasEnded !== true) return
    try {
      target.helper = await startHelper(target.launched, target, { ...network, signal })
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'NETWORK_HELPER_FAILED') throw error
      const { reason = error.message } = error.data ?? {}
      const message = `The code has no network access because the helper for the network allowlist could not be restarted: ${reasonIn(reason)}. Restart the executor.`
      notice(noticeOf('network-lost', { message, data: { ...error.data, reason } }))
    }
  }
}
