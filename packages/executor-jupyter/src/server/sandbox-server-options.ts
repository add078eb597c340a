import type { ExecutorSandbox, Sandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'

/** Options of `SandboxJupyterServer`. */
export interface SandboxJupyterServerOptions {
  /**
   * Sandbox for the server and its kernels: a sandbox whose ports are reachable, or an executor's `sandbox`. The server starts
   * the sandbox when needed and never stops it.
   */
  readonly sandbox: Sandbox | ExecutorSandbox
  /**
   * Path of a Python interpreter with Jupyter Server in the sandbox.
   *
   * @default `python3`, then `python`, as the sandbox finds them
   */
  readonly python?: string | undefined
  /**
   * Time limit for the server's first response after its sandbox starts, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** Schema for the options of `SandboxJupyterServer`. */
export const sandboxJupyterServerOptionsSchema = z.strictObject({
  sandbox: z
    .custom<Sandbox | ExecutorSandbox>(isSandbox, {
      error: 'must be a sandbox, or the `sandbox` of an executor',
      abort: true,
    })
    .refine(({ capabilities }) => capabilities.ports, {
      error:
        'has no reachable ports (`capabilities.ports`). In bubblewrap each process has a separate network, unless `network` is `open`',
    }),
  python: z.string().min(1).optional(),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type SandboxServerSettings = z.output<typeof sandboxJupyterServerOptionsSchema>

function isSandbox(value: unknown): boolean {
  const { spawn, connect } = (value ?? {}) as Partial<Sandbox>
  return typeof spawn === 'function' && typeof connect === 'function'
}
