import { parseOptions } from '@fenced/core/driver'
import type { ExecutorSandbox, Sandbox } from '@fenced/core/sandbox'
import { z } from 'zod'

/** Options of `SandboxJupyterServer`. */
export interface SandboxJupyterServerOptions {
  /**
   * Where the server and its kernels run: a sandbox whose ports can be reached, or the `sandbox` of an executor. It is started
   * when that is needed, and never stopped: that is its owner's.
   */
  readonly sandbox: Sandbox | ExecutorSandbox
  /**
   * The Python of the sandbox that has the server: the path of an interpreter.
   *
   * @default what the sandbox finds as `python3`, then as `python`
   */
  readonly python?: string | undefined
  /**
   * How long the server may take to answer once its sandbox runs, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** The options of `SandboxJupyterServer`, as a schema. */
export const sandboxJupyterServerOptionsSchema = z.strictObject({
  sandbox: z
    .custom<Sandbox | ExecutorSandbox>(isSandbox, {
      error: 'must be a sandbox, or the `sandbox` of an executor',
      abort: true,
    })
    .refine(({ capabilities }) => capabilities.ports, {
      error:
        'has no ports that can be reached (`capabilities.ports`). In bubblewrap each process has a network of its own, unless it has `network: true`',
    }),
  python: z.string().min(1).optional(),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type SandboxServerSettings = z.output<typeof sandboxJupyterServerOptionsSchema>

export function readSandboxServerOptions(options: SandboxJupyterServerOptions): SandboxServerSettings {
  return parseOptions(sandboxJupyterServerOptionsSchema, options, 'SandboxJupyterServer')
}

function isSandbox(value: unknown): boolean {
  const { spawn, connect } = (value ?? {}) as Partial<Sandbox>
  return typeof spawn === 'function' && typeof connect === 'function'
}
