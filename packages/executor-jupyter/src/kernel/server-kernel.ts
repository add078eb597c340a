import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { raceAbort, raceGrace } from '@fenced/shared'
import { openWebSocketChannels, type Reconnecting } from '../channels/websocket-channels.ts'
import { RestClient } from '../server/rest-client.ts'
import type { ServerAddress } from '../server/server-address.ts'
import { kernelGone } from '../server/server-error.ts'
import type { Kernel, KernelContext, KernelListener, KernelSource } from './kernel.ts'
import { pollKernelInfo } from './timed-requests.ts'

export interface ServerKernelsOptions {
  readonly kernelName: string
  /** A running kernel to use. It is not ended. */
  readonly kernelId?: string | undefined
  /** Variables for a new kernel. */
  readonly env: Readonly<Record<string, string>>
  /** Where the server is, once it runs. */
  readonly locate: (context: StartContext) => Promise<ServerAddress>
  /** The server's path of a directory of this machine; `undefined` where the server does not see the directory. */
  readonly kernelPath: (directory: string) => string | undefined
  readonly reconnecting: Reconnecting
}

/** How long to wait for a cancelled start, in milliseconds. A kernel that starts later is ended too. */
const lateStartMs = 2_500

/** How long to wait for a server to end a kernel, in milliseconds. The server completes the request after that. */
const killTimeoutMs = 2_000
const stopTimeoutMs = 4_000

/** Kernels that a Jupyter Server or a Kernel Gateway starts for us. */
export class ServerKernels implements KernelSource {
  readonly #options: ServerKernelsOptions

  constructor(options: ServerKernelsOptions) {
    this.#options = options
  }

  async prepare(context: StartContext): Promise<void> {
    await this.#options.locate(context)
  }

  async startKernel(listener: KernelListener, { directory, signal }: KernelContext): Promise<Kernel> {
    const { kernelName: name, env, locate, kernelPath, reconnecting, kernelId: existing } = this.#options
    const address = await locate({ signal, notice: () => {} })
    const rest = new RestClient(address)
    const variables = Object.keys(env).length === 0 ? undefined : env
    const starting =
      existing === undefined
        ? rest.startKernel({ name, path: kernelPath(directory), env: variables })
        : existingKernel(rest, { id: existing, address })
    const isOwn = existing === undefined
    const kernelId = await startedUnlessAborted(starting, { rest, address, signal, isOwn })
    try {
      const target = { address, kernelId, reconnecting }
      const channels = await openWebSocketChannels(target, listener, signal)
      const watch = watchKernel({ kernelId, rest, everyMs: reconnecting.keepAliveMs }, () =>
        listener.lost(kernelGone(address.url)),
      )
      const parts = { kernelId, rest, channels, watch }
      return isOwn ? new ServerKernel(parts) : new ExistingKernel(parts)
    } catch (error) {
      await (isOwn ? removeAndClose(rest, kernelId) : rest.close())
      throw error
    }
  }
}

/**
 * Waits for the start of a kernel. A server completes a start that was cancelled here, so the kernel is ended once it has started,
 * and the connection stays open until then.
 */
async function startedUnlessAborted(
  starting: Promise<string>,
  { rest, address, signal, isOwn }: StartingKernel,
): Promise<string> {
  const started = starting.then(
    (id) => ({ id }),
    async (error: unknown) => {
      await rest.close()
      throw error
    },
  )
  const inTime = await raceAbort(started, signal)
  if (inTime !== 'aborted') return inTime.id
  const remove = ({ id }: { id: string }) => (isOwn ? removeAndClose(rest, id) : rest.close())
  const removed = started.then(remove).catch(() => {})
  await raceGrace(removed, lateStartMs)
  throw silent(address, signal.reason)
}

interface StartingKernel {
  readonly rest: RestClient
  readonly address: ServerAddress
  readonly signal: AbortSignal
  /** Whether it is ended when it is no longer needed. */
  readonly isOwn: boolean
}

/** @throws FencedError `KERNEL_NOT_FOUND`. */
async function existingKernel(
  rest: RestClient,
  { id, address }: { readonly id: string; readonly address: ServerAddress },
): Promise<string> {
  if (await rest.hasKernel(id)) return id
  throw new FencedError({
    code: 'KERNEL_NOT_FOUND',
    message: `The Jupyter server at ${address.url.href} has no kernel with the id "${id}". Set \`kernelId\` to the id of a running kernel, or leave it out to start a kernel.`,
    data: { url: address.url.href, kernel: id, option: 'kernelId' },
  })
}

async function removeAndClose(rest: RestClient, kernelId: string): Promise<void> {
  await rest.removeKernel(kernelId, AbortSignal.timeout(killTimeoutMs)).catch(() => {})
  await rest.close()
}

function silent({ url }: ServerAddress, cause: unknown): FencedError {
  return new FencedError({
    code: 'JUPYTER_UNREACHABLE',
    message: `The Jupyter server at ${url.href} did not answer the request for a kernel.`,
    data: { url: url.href },
    cause,
  })
}

/** An unreachable server has ended with its kernels, or cannot be used any more. */
function isUnreachable(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'JUPYTER_UNREACHABLE'
}

function isTimeout(error: unknown): boolean {
  return Object(error).name === 'TimeoutError'
}

/** Detects that another client has removed the kernel: the server leaves the connection open then. */
function watchKernel(
  { kernelId, rest, everyMs }: { kernelId: string; rest: RestClient; everyMs: number },
  onGone: () => void,
): NodeJS.Timeout {
  const watch = setInterval(async () => {
    // A server that does not answer is the connection's business.
    if (await rest.hasKernel(kernelId).catch(() => true)) return
    clearInterval(watch)
    onGone()
  }, everyMs)
  return watch.unref()
}

interface ServerKernelParts {
  readonly kernelId: string
  readonly rest: RestClient
  readonly channels: Kernel['channels']
  readonly watch: NodeJS.Timeout
}

class ServerKernel implements Kernel {
  readonly channels: Kernel['channels']
  protected readonly parts: ServerKernelParts

  constructor(parts: ServerKernelParts) {
    this.channels = parts.channels
    this.parts = parts
  }

  setRef(keeps: boolean): void {
    this.channels.setRef(keeps)
  }

  pollKernelInfo(): Disposable {
    return pollKernelInfo(this.channels)
  }

  async interrupt(): Promise<void> {
    await this.parts.rest.interruptKernel(this.parts.kernelId)
  }

  async stop(): Promise<void> {
    const { rest, kernelId } = this.parts
    await this.leave()
    try {
      await rest.removeKernel(kernelId, AbortSignal.timeout(stopTimeoutMs))
    } catch (error) {
      if (!isUnreachable(error) && !isTimeout(error)) throw error
    } finally {
      await rest.close()
    }
  }

  async kill(): Promise<void> {
    const { rest, kernelId } = this.parts
    await this.leave()
    await removeAndClose(rest, kernelId)
  }

  protected async leave(): Promise<void> {
    clearInterval(this.parts.watch)
    await this.channels.close()
  }
}

/** A kernel that another client has started: it stays when this client leaves. */
class ExistingKernel extends ServerKernel {
  override async stop(): Promise<void> {
    await this.kill()
  }

  override async kill(): Promise<void> {
    await this.leave()
    await this.parts.rest.close()
  }

  async restart(): Promise<void> {
    const { rest, kernelId } = this.parts
    await rest.restartKernel(kernelId, AbortSignal.timeout(stopTimeoutMs))
  }
}
