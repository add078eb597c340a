import { isIPv4, isIPv6 } from 'node:net'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { isAbortSignal } from '@fenced/core/internal'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { z } from 'zod'
import { PortForwarder } from './port-forwarder.ts'

/** Options of {@link forwardPort}. */
export interface ForwardPortOptions {
  /**
   * The address of this machine's loopback to listen on: of `127.0.0.0/8` (other systems than Linux have only `127.0.0.1`), or `::1`.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined
  /**
   * The port on this machine.
   *
   * @default 0, a free port
   */
  readonly localPort?: number | undefined
  /**
   * How long a connection waits for a process that listens, in milliseconds, before it is reset: the browser may be faster than
   * the server in the sandbox.
   *
   * @default 10_000
   */
  readonly waitTimeoutMs?: number | undefined
  /**
   * How many connections there are at a time; more are refused. Where a sandbox starts a process for each, they count among its
   * processes.
   *
   * @default 100
   */
  readonly maxConnections?: number | undefined
  /**
   * Called with why a connection could not be opened; it was reset.
   *
   * @default failures are not reported
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Closes it, and cancels its start. */
  readonly signal?: AbortSignal | undefined
}

/** A port of a sandbox that can be reached on this machine. Disposing of it closes it. */
export interface ForwardedPort extends AsyncDisposable {
  /** Where a browser opens it, such as `http://127.0.0.1:49152/`. */
  readonly url: string
  /** The port on this machine. */
  readonly port: number
  /**
   * Ends the listener and every connection, and resolves when nothing of them is left; what a server wrote before its end still
   * arrives. Calling it again does nothing.
   */
  close(): Promise<void>
}

/**
 * Listens on the loopback of this machine and passes connections on to a port of a sandbox, without a network between: a web
 * application in a container opens in a browser. Bytes are passed on unchanged, so WebSockets and other protocols also work.
 *
 * Every program and every user of this machine can connect, and so can pages of other sites in a browser on it: the port has no
 * authentication. A page that comes from the sandbox has the browser's network, also where the sandbox has none.
 *
 * A connection goes to the current sandbox, also after a restart. If it cannot be opened, or breaks,
 * it is reset. This process does not end until the port is closed.
 *
 * @param sandbox - `executor.sandbox`, or your `Sandbox`. An executor that asks for approval has none.
 * @throws FencedError `INVALID_OPTIONS`; `PORT_TAKEN`; `SANDBOX_PORT_CLOSED` where `capabilities.ports` is `false`. Rejects with
 * the signal's reason.
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
    .refine(isLoopback, { message: 'must be an address of the loopback: 127.0.0.1, or ::1' })
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
    message: `Port ${port} of the sandbox cannot be reached: each of its processes has a separate network. Use a container, or set \`network: true\`.`,
    data: { port: `${port}` },
  })
}
