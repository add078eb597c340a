import { isIPv4, isIPv6 } from 'node:net'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import { isAbortSignal } from '@fenced/shared'
import { PortForwarder } from './port-forwarder.ts'

/** Options for {@link forwardPort}. */
export interface ForwardPortOptions {
  /**
   * Loopback address on this machine to listen on: an address in `127.0.0.0/8` (only `127.0.0.1` on systems other than Linux), or
   * `::1`.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined
  /**
   * Port on this machine.
   *
   * @default 0, a free port
   */
  readonly localPort?: number | undefined
  /**
   * Time that a connection waits for a process to start listening before it is reset, in milliseconds. A browser may connect
   * before the server in the sandbox is ready.
   *
   * @default 10_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * Maximum number of connections at a time; further ones are refused. If the sandbox starts a process for each connection, these
   * count towards its process limit.
   *
   * @default 100
   */
  readonly maxConnections?: number | undefined
  /**
   * Called with the reason why a connection could not be opened. The connection has been reset.
   *
   * @default failures are not reported
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Closes the port, or cancels opening it. */
  readonly signal?: AbortSignal | undefined
}

/** A sandbox port that can be reached on this machine. Disposing of it closes it. */
export interface ForwardedPort extends AsyncDisposable {
  /** URL to open in a browser, such as `http://127.0.0.1:49152/`. */
  readonly url: string
  /** Port on this machine. */
  readonly port: number
  /**
   * Closes the listener and all connections, and resolves once they are gone. Data that a server wrote before it ended still
   * arrives. Calling it again has no effect.
   */
  close(): Promise<void>
}

/**
 * Listens on this machine's loopback interface and forwards connections to a port in a sandbox, without a network in between. For
 * example, you can open a web application running in a container in your browser. Data is forwarded unchanged, so WebSockets and
 * other protocols also work.
 *
 * The port has no authentication. Every program and user on this machine can connect, and so can pages from other sites in a
 * local browser. A page served from the sandbox can use the browser's network access, even if the sandbox has none.
 *
 * Connections go to the current sandbox, even after a restart. A connection that cannot be opened, or that breaks, is reset. This
 * process stays alive until the port is closed.
 *
 * @param sandbox - `executor.sandbox`, or your own `Sandbox`.
 * @throws FencedError `INVALID_OPTIONS`; `PORT_TAKEN`; `SANDBOX_PORT_CLOSED` if `capabilities.ports` is `false`; the signal's
 *   reason.
 * @example
 * ```ts
 * await using forwarded = await forwardPort(sandbox, 8000)
 * console.log(`Open ${forwarded.url}`)
 * ```
 */
export async function forwardPort(
  sandbox: Pick<ExecutorSandbox, 'capabilities' | 'connect'>,
  port: number,
  options: ForwardPortOptions = {},
): Promise<ForwardedPort> {
  const { host, localPort, signal, ...settings } = parseOptions(
    forwardPortSchema,
    { ...options, port },
    'forwardPort',
  )
  signal?.throwIfAborted()
  if (!sandbox.capabilities.ports) throw withoutPorts(port)
  const forwarder = new PortForwarder({ ...settings, connect: sandbox.connect.bind(sandbox) })
  const listening = await forwarder.listen(host, localPort)
  const close = () => forwarder.close()
  if (signal?.aborted) await close()
  signal?.throwIfAborted()
  signal?.addEventListener('abort', close, { once: true })
  void forwarder.closed.then(() => signal?.removeEventListener('abort', close))
  const url = `http://${isIPv6(host) ? `[${host}]` : host}:${listening}/`
  return { url, port: listening, close, [Symbol.asyncDispose]: close }
}

const forwardPortSchema = z.strictObject({
  port: z.number().int().min(1).max(65_535),
  host: z
    .string()
    .refine(isLoopback, { message: 'must be a loopback address: 127.0.0.1 or ::1' })
    .default('127.0.0.1'),
  localPort: z.number().int().min(0).max(65_535).default(0),
  waitTimeoutMs: z.number().int().min(0).default(10_000),
  maxConnections: z.number().int().min(1).default(100),
  onError: z
    .custom<(error: unknown) => void>((value) => typeof value === 'function', 'must be a function')
    .default(() => () => {}),
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
})

/** A name such as `localhost` may lead elsewhere. */
function isLoopback(host: string): boolean {
  return host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function withoutPorts(port: number): FencedError {
  return new FencedError({
    code: 'SANDBOX_PORT_CLOSED',
    message: `Port ${port} of the sandbox cannot be reached: each of its processes has a separate network. Use a container.`,
    data: { port: `${port}` },
  })
}
