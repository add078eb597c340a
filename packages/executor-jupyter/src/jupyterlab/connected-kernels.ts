import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { raceAbort, raceGrace } from '@fenced/shared'
import type { Kernel as JupyterLab } from '@jupyterlab/services'
import type { Kernel, KernelContext, KernelListener, KernelSource } from '../kernel/kernel.ts'
import { pollKernelInfo } from '../kernel/timed-requests.ts'
import { ConnectionChannels, connectionClosed, serverOf } from './connection-channels.ts'
import type { StartConnection } from './options.ts'

/** How long a server may take to end or to restart a kernel, in milliseconds. */
const stopTimeoutMs = 4_000
const killTimeoutMs = 2_000

/** The kernel of a connection that another client of the server has opened, or kernels that a function starts. */
export class ConnectedKernels implements KernelSource {
  readonly #connection: JupyterLab.IKernelConnection | StartConnection

  constructor(connection: JupyterLab.IKernelConnection | StartConnection) {
    this.#connection = connection
  }

  async startKernel(listener: KernelListener, context: KernelContext): Promise<Kernel> {
    const given = this.#connection
    if (typeof given !== 'function') {
      await untilConnected(given, context.signal)
      return new ConnectedKernel(given, new ConnectionChannels(given, listener))
    }
    const connection = await startedUnlessAborted(given, context)
    try {
      await untilConnected(connection, context.signal)
      return new StartedKernel(connection, new ConnectionChannels(connection, listener))
    } catch (error) {
      await shutDown(connection, killTimeoutMs).catch(() => {})
      throw error
    }
  }
}

/** A kernel that comes after the end of the signal is ended. */
async function startedUnlessAborted(
  start: StartConnection,
  { directory, signal }: KernelContext,
): Promise<JupyterLab.IKernelConnection> {
  const started = start({ directory, signal })
  const inTime = await raceAbort(started, signal)
  if (inTime !== 'aborted') return inTime
  started.then((connection) => shutDown(connection, killTimeoutMs)).catch(() => {})
  throw signal.reason
}

/** Resolves when the kernel has answered the client. */
async function untilConnected(connection: JupyterLab.IKernelConnection, signal: AbortSignal): Promise<void> {
  const { promise: disconnected, reject } = Promise.withResolvers<never>()
  const onStatus = (_: unknown, status: JupyterLab.ConnectionStatus) => {
    if (status === 'disconnected') reject(connectionClosed(connection))
  }
  connection.connectionStatusChanged.connect(onStatus)
  if (connection.isDisposed) onStatus(connection, 'disconnected')
  else onStatus(connection, connection.connectionStatus)
  try {
    const isConnected = connection.info.catch((cause: unknown) => {
      throw connectionClosed(connection, cause)
    })
    const end = await raceAbort(Promise.race([disconnected, isConnected]), signal)
    if (end === 'aborted') throw signal.reason
  } finally {
    connection.connectionStatusChanged.disconnect(onStatus)
  }
}

/** Ends a kernel, and closes the connection even if the server does not answer. */
async function shutDown(connection: JupyterLab.IKernelConnection, timeoutMs: number): Promise<void> {
  try {
    await raceGrace(connection.shutdown(), timeoutMs)
  } finally {
    connection.dispose()
  }
}

class KernelOfConnection {
  readonly channels: ConnectionChannels
  protected readonly connection: JupyterLab.IKernelConnection

  constructor(connection: JupyterLab.IKernelConnection, channels: ConnectionChannels) {
    this.connection = connection
    this.channels = channels
  }

  setRef(): void {}

  pollKernelInfo(): Disposable {
    return pollKernelInfo(this.channels)
  }

  interrupt(): Promise<void> {
    return this.connection.interrupt()
  }
}

/** A kernel that another client uses as well: it keeps running when the executor stops. */
class ConnectedKernel extends KernelOfConnection implements Kernel {
  async stop(): Promise<void> {
    await this.channels.close()
  }

  async restart(): Promise<void> {
    // The client connects again: that restores nothing.
    await this.channels.close()
    // A server that was asked restarts the kernel, even if that takes longer.
    await raceGrace(this.connection.restart(), stopTimeoutMs)
  }

  async kill(): Promise<void> {
    await this.channels.close()
  }
}

/** A kernel of the executor, which ends with it. */
class StartedKernel extends KernelOfConnection implements Kernel {
  async stop(): Promise<void> {
    await this.channels.close()
    try {
      await shutDown(this.connection, stopTimeoutMs)
    } catch (error) {
      // The kernels of a stopped server have ended with it. If the server answers, the kernel is still running.
      if (Object(error).response !== undefined) throw notEnded(this.connection, error)
    }
  }

  async kill(): Promise<void> {
    await this.channels.close()
    await shutDown(this.connection, killTimeoutMs).catch(() => {})
  }
}

function notEnded(connection: JupyterLab.IKernelConnection, cause: unknown): FencedError {
  const url = serverOf(connection)
  return new FencedError({
    code: 'JUPYTER_FAILED',
    message: `The Jupyter server at ${url} did not stop the kernel "${connection.id}": ${errorMessage(cause)}. Stop it on the server.`,
    data: { url, kernel: connection.id, answer: errorMessage(cause) },
    cause,
  })
}
