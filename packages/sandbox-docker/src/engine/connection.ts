import { z } from '@fenced/core/zod'
import { parseAddress } from './address.ts'

/**
 * The engine to use, with no fallback: an address as for `docker --host`, an address with TLS, or a Docker context. Addresses are
 * `unix:///path` or an absolute path, `npipe:////./pipe/name`, `tcp://host:port` (default port 2375) and
 * `ssh://user@host:port/path/of/a/socket`. Variables such as `DOCKER_TLS_VERIFY` are ignored. SSH connections use the system's
 * `ssh` program, so keys, known hosts and jump hosts come from `~/.ssh/config`.
 */
export type EngineConnection = string | EngineHost | EngineContext

/** TLS settings for an engine connection. `{}` trusts the authorities that Node trusts. */
interface EngineTls {
  /**
   * Path of the certificate (PEM) of the authority that vouches for the engine.
   *
   * @default the authorities that Node trusts
   */
  readonly caFile?: string | undefined
  /**
   * Path of the client certificate (PEM), if the engine requires one. Must be used together with `keyFile`.
   *
   * @default none
   */
  readonly certFile?: string | undefined
  /**
   * Path of the key (PEM, without a passphrase) for `certFile`.
   *
   * @default none
   */
  readonly keyFile?: string | undefined
  /**
   * Whether to verify the engine's certificate. With `false`, any machine along the way can impersonate the engine.
   *
   * @default true
   */
  readonly verify?: boolean | undefined
}

/** An engine at an address, with optional TLS. */
interface EngineHost {
  /** Address of the engine, as for `docker --host`; see {@link EngineConnection}. */
  readonly host: string
  /**
   * TLS settings. Only for `tcp://` addresses.
   *
   * @default no TLS
   */
  readonly tls?: EngineTls | undefined
}

/** An engine from a Docker context. */
interface EngineContext {
  /**
   * Name of a Docker context, as shown by `docker context ls`. `default` is the engine in `DOCKER_HOST`, or the default socket.
   */
  readonly context: string
}

const addressSchema = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    try {
      parseAddress(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
    }
  })

const tlsSchema = z
  .strictObject({
    caFile: z.string().min(1).optional(),
    certFile: z.string().min(1).optional(),
    keyFile: z.string().min(1).optional(),
    verify: z.boolean().default(true),
  })
  .refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
    path: ['keyFile'],
    error: 'certFile and keyFile go together',
  })

const hostSchema = z
  .strictObject({
    host: addressSchema,
    tls: tlsSchema.optional(),
  })
  .refine(({ host, tls }) => tls === undefined || isTcp(host), {
    path: ['tls'],
    error: 'is for tcp:// addresses only',
  })

const contextSchema = z.strictObject({
  context: z.string().min(1),
})

/** Schema for {@link EngineConnection}. */
export const engineConnectionSchema = z.union([addressSchema, hostSchema, contextSchema], {
  error: 'must be the address of an engine, or { host, tls }, or { context }',
})

function isTcp(host: string): boolean {
  try {
    return parseAddress(host).kind === 'tcp'
  } catch {
    // The address has its own complaint.
    return true
  }
}
