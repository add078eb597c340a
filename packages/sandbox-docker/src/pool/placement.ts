import { FencedError } from '@fenced/core'
import { archivesOf, type BackendProcess, type SandboxBackend } from '@fenced/core/sandbox'
import type { PendingRemovals } from '../container/pending-removals.ts'
import { Engine } from '../engine.ts'

/** The engine of a pool, as its placements see it. */
interface SharedEngine {
  readonly name: string
  readonly pendingRemovals: PendingRemovals
  /** Asks it whether it answers. */
  check(): Promise<unknown>
}

interface PlacementParts {
  readonly pooled: SharedEngine
  readonly engine: Engine
  /** Called once it is held no more; not when it was lost. */
  onRelease(): void
}

/** The place of one sandbox on an engine of a pool, from its start until it or the engine ends. */
export class Placement {
  readonly #parts: PlacementParts
  /** Those that are removed when the engine is back. */
  readonly #backends = new Set<SandboxBackend>()
  readonly #processes = new Set<BackendProcess>()
  /** Whether the engine has gone since. It may be back: what was on it counts as lost. */
  isLost = false

  constructor(parts: PlacementParts) {
    this.#parts = parts
  }

  /** A connection to the engine, which is the pool's to end. */
  async connect(signal: AbortSignal): Promise<Engine> {
    const { engine, pooled } = this.#parts
    return Engine.connect(engine, { signal, pendingRemovals: pooled.pendingRemovals })
  }

  /** Makes sure, after an error, that the engine still answers. */
  async isLostBy(error: unknown): Promise<boolean> {
    if (!this.isLost && mayBeLoss(error)) await this.#parts.pooled.check()
    return this.isLost
  }

  /**
   * The container as a backend that is gone when its engine is.
   *
   * @param options - `outlivesProcess` is whether the container can be found again, so that it stays when the engine is back.
   */
  watch(backend: SandboxBackend, { outlivesProcess }: { readonly outlivesProcess: boolean }): SandboxBackend {
    const { where, maxRestMs } = backend
    const archives = archivesOf(backend)
    if (!outlivesProcess) this.#backends.add(backend)
    return {
      ...{ where, maxRestMs },
      exec: (command, options) =>
        this.#call(async () => this.#watchProcess(await backend.exec(command, options))),
      put: (directory, archive, options) => this.#call(() => archives.put(directory, archive, options)),
      get: (path, options) => this.#call(() => archives.get(path, options)),
      state: async () => (this.isLost ? 'unknown' : backend.state()),
      remove: (options) => this.#remove(backend, options),
    }
  }

  /** Called when the engine stops answering. Ends pending requests to it. */
  lose(): void {
    this.isLost = true
    for (const backend of this.#backends) this.#removeLater(backend)
    for (const process of this.#processes) process.destroy()
    this.#processes.clear()
  }

  release(): void {
    this.#parts.onRelease()
  }

  async #call<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.isLost) throw this.#gone()
    try {
      return await act()
    } catch (error) {
      throw (await this.isLostBy(error)) ? this.#gone(error) : error
    }
  }

  /** On an engine that does not answer it is removed as soon as that is back. */
  async #remove(backend: SandboxBackend, options: Parameters<SandboxBackend['remove']>[0]): Promise<void> {
    if (this.isLost) return
    try {
      await backend.remove(options)
      this.#backends.delete(backend)
    } catch (error) {
      if (!(await this.isLostBy(error))) throw error
    }
  }

  #removeLater(backend: SandboxBackend): void {
    this.#parts.pooled.pendingRemovals.add(async () => {
      await backend.remove()
      return true
    })
  }

  #watchProcess(process: BackendProcess): BackendProcess {
    this.#processes.add(process)
    const forget = () => this.#processes.delete(process)
    if (this.isLost) process.destroy()
    return {
      stdin: process.stdin,
      read: (sink) => process.read(sink).finally(forget),
      poll: () => process.poll(),
      ref: () => process.ref?.(),
      unref: () => process.unref?.(),
      destroy: () => {
        forget()
        process.destroy()
      },
    }
  }

  #gone(cause?: unknown): FencedError {
    return new FencedError({
      code: 'SANDBOX_GONE',
      message: `The engine ${this.#parts.pooled.name} stopped answering, so its sandbox is lost. Start again to get a sandbox on an engine that answers.`,
      data: { engine: this.#parts.pooled.name },
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

/** Codes of errors with which an engine that has ended shows. */
const lossCodes = new Set<string>(['ENGINE_LOST', 'ENGINE_UNREACHABLE', 'ENGINE_FAILED'])

function mayBeLoss(error: unknown): boolean {
  return FencedError.isInstance(error) && lossCodes.has(error.code)
}
