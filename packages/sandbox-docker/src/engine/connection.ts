import { z } from 'zod'
import { parseAddress } from './address.ts'

/**
 * The engine to use, and no other: an address as in `docker --host`, an address with TLS, or a docker context.
 * Addresses are `unix:///path` or an absolute path, `npipe:////./pipe/name`, `tcp://host:port` (port 2375 when none is
 * named) and `ssh://user@host:port/path/of/a/socket`. Variables such as `DOCKER_TLS_VERIFY` do not change its meaning.
 * ssh is the system's program `ssh`: keys, known hosts and jumps are those of `~/.ssh/config`.
 */
export type EngineConnection = string | EngineHost | EngineContext

/** How an engine is spoken to with TLS. `{}` trusts what Node trusts. */
export interface EngineTls {
  /**
   * The path of the certificate (PEM) of the authority that vouches for the engine.
   *
   * @default the authorities that Node trusts
   */
  readonly caFile?: string | undefined
  /**
   * The path of our own certificate (PEM), where the engine asks for one. Goes together with `keyFile`.
   *
   * @default none
   */
  readonly certFile?: string | undefined
  /**
   * The path of the key (PEM, without a passphrase) of `certFile`.
   *
   * @default none
   */
  readonly keyFile?: string | undefined
  /**
   * Whether the certificate of the engine is verified. With `false`, any machine on the way can impersonate the engine.
   *
   * @default true
   */
  readonly verify?: boolean | undefined
}

/** An engine by its address, with TLS. */
export interface EngineHost {
  /**
   * The engine's address, as in `docker --host`; see {@link EngineConnection}.
   */
  readonly host: string
  /**
   * Connect with TLS; for tcp:// only.
   *
   * @default no TLS
   */
  readonly tls?: EngineTls | undefined
}

/** An engine by a context of the docker command. */
export interface EngineContext {
  /**
   * The name of a docker context, as `docker context ls` lists it. `default` is what `DOCKER_HOST` names, or the
   * default socket.
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

/** See {@link EngineConnection}. */
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
