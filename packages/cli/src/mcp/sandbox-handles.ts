import { createHash, randomBytes } from 'node:crypto'

/** Options of {@link SandboxHandles}. */
export interface SandboxHandlesOptions {
  /** How many can be open at a time. */
  readonly max: number
  /** A handle that is not used for this time expires, in milliseconds. */
  readonly idleTimeoutMs: number
}

interface OpenHandle {
  lastUsedMs: number
  calls: number
}

/**
 * Handles of sandboxes. A handle is a capability: any client that has it can use its sandbox, and no client can guess it. Only the
 * answer to the client contains a handle. All other code works with its digest, so no ledger, message or log contains the handle.
 */
export class SandboxHandles {
  readonly #options: SandboxHandlesOptions
  readonly #open = new Map<string, OpenHandle>()

  constructor(options: SandboxHandlesOptions) {
    this.#options = options
  }

  get idleTimeoutMs(): number {
    return this.#options.idleTimeoutMs
  }

  /** Returns a new handle; `undefined` if too many are open. */
  open(): string | undefined {
    for (const id of this.#open.keys()) this.#isOpen(id)
    if (this.#open.size >= this.#options.max) return undefined
    // Lower case, as addresses of resources are.
    const handle = `sandbox-${randomBytes(24).toString('hex')}`
    this.#open.set(digestOf(handle), { lastUsedMs: performance.now(), calls: 0 })
    return handle
  }

  /** Returns the id of the sandbox of an open handle. */
  idOf(handle: string): string | undefined {
    const id = digestOf(handle)
    return this.#isOpen(id) ? id : undefined
  }

  /** Counts a call as use until it is disposed of. */
  use(id: string): Disposable {
    const open = this.#open.get(id)
    if (open !== undefined) open.calls += 1
    return {
      [Symbol.dispose]: () => {
        if (open !== undefined) Object.assign(open, { calls: open.calls - 1, lastUsedMs: performance.now() })
      },
    }
  }

  close(id: string): void {
    this.#open.delete(id)
  }

  #isOpen(id: string): boolean {
    const open = this.#open.get(id)
    if (open === undefined) return false
    const isExpired = open.calls === 0 && performance.now() - open.lastUsedMs >= this.#options.idleTimeoutMs
    if (isExpired) this.#open.delete(id)
    return !isExpired
  }
}

function digestOf(handle: string): string {
  return createHash('sha256').update(handle).digest('hex')
}
