import { z } from 'zod'
import { parseAddress } from './address.ts'

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
    /** The certificate (PEM) of the authority that vouches for the engine. Default: the ones Node trusts. */
    caFile: z.string().min(1).optional(),
    /** Our own certificate (PEM), where the engine asks for one. Goes together with `keyFile`. */
    certFile: z.string().min(1).optional(),
    /** The key (PEM, without a passphrase) of `certFile`. */
    keyFile: z.string().min(1).optional(),
    /** Whether the engine has to prove who it is. Default `true`; with `false` anybody in between can be the engine. */
    verify: z.boolean().default(true),
  })
  .refine(({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined), {
    path: ['keyFile'],
    error: 'certFile and keyFile go together',
  })

const hostSchema = z
  .strictObject({
    /** The engine's address, as in `docker --host`; see {@link EngineConnection}. */
    host: addressSchema,
    /** Connect with TLS; for tcp:// only. `{}` is TLS with what Node trusts. Default: no TLS. */
    tls: tlsSchema.optional(),
  })
  .refine(({ host, tls }) => tls === undefined || isTcp(host), {
    path: ['tls'],
    error: 'is for tcp:// addresses only',
  })

const contextSchema = z.strictObject({
  /** The name of a docker context, as `docker context ls` lists it. `default`: what `DOCKER_HOST` names, or the default socket. */
  context: z.string().min(1),
})

/** See {@link EngineConnection}. */
export const engineConnectionSchema = z.union([addressSchema, hostSchema, contextSchema], {
  error: 'must be the address of an engine, or { host, tls }, or { context }',
})

/**
 * The engine to use, and no other: an address as in `docker --host`, an address with TLS, or a docker context.
 * Addresses are `unix:///path` or an absolute path, `npipe:////./pipe/name`, `tcp://host:port` (port 2375 when none is
 * named) and `ssh://user@host:port/path/of/a/socket`. Variables such as `DOCKER_TLS_VERIFY` do not change its meaning.
 * ssh is the system's program `ssh`: keys, known hosts and jumps are those of `~/.ssh/config`.
 */
export type EngineConnection = z.input<typeof engineConnectionSchema>

function isTcp(host: string): boolean {
  try {
    return parseAddress(host).kind === 'tcp'
  } catch {
    // The address has its own complaint.
    return true
  }
}
