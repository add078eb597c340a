import { openWebSocketChannels, type Reconnecting } from '../channels/websocket-channels.ts'
import { RestClient } from '../server/rest-client.ts'
import type { ServerAddress } from '../server/server-address.ts'
import type { Kernel, KernelContext, KernelListener, KernelSource } from './kernel.ts'

export interface ServerKernelsOptions {
  readonly kernelName: string
  /** Where the server is, once it runs. */
  readonly locate: (signal: AbortSignal) => Promise<ServerAddress>
  /** What the server calls a directory of this machine; `undefined` where it does not see it. */
  readonly kernelPath: (directory: string) => string | undefined
  readonly reconnecting: Reconnecting
}

/** Kernels that a Jupyter Server or a Kernel Gateway starts for us. */
export class ServerKernels implements KernelSource {
  readonly #options: ServerKernelsOptions

  constructor(options: ServerKernelsOptions) {
    this.#options = options
  }

  async startKernel(listener: KernelListener, { directory, signal }: KernelContext): Promise<Kernel> {
    const { kernelName, locate, kernelPath, reconnecting } = this.#options
    const address = await locate(signal)
    const rest = new RestClient(address)
    try {
      const kernelId = await rest.startKernel(kernelName, kernelPath(directory), signal)
      try {
        const channels = await openWebSocketChannels({ address, kernelId, reconnecting }, listener)
        return new ServerKernel(kernelId, rest, channels)
      } catch (error) {
        await rest.removeKernel(kernelId).catch(() => {})
        throw error
      }
    } catch (error) {
      await rest.close()
      throw error
    }
  }
}

class ServerKernel implements Kernel {
  readonly channels: Kernel['channels']
  readonly #id: string
  readonly #rest: RestClient

  constructor(id: string, rest: RestClient, channels: Kernel['channels']) {
    this.channels = channels
    this.#id = id
    this.#rest = rest
  }

  async interrupt(): Promise<void> {
    await this.#rest.interruptKernel(this.#id)
  }

  /** A server that is gone has taken its kernels along, or will never be heard of again. */
  async stop(): Promise<void> {
    await this.channels.close()
    try {
      await this.#rest.removeKernel(this.#id)
    } finally {
      await this.#rest.close()
    }
  }

  async kill(): Promise<void> {
    await this.stop().catch(() => {})
  }
}
