import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** Locations of the certificates for a TLS connection. */
export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Whether to verify the engine's identity. */
  readonly verify: boolean
}

/** Returns the existing certificate files, under the names that docker's CLI expects in a directory. */
export async function tlsFilesIn(directory: string): Promise<Omit<TlsFiles, 'verify'>> {
  const [caFile, certFile, keyFile] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map(async (name) => {
      const file = join(directory, name)
      return access(file).then(
        () => file,
        () => undefined,
      )
    }),
  )
  return { caFile, certFile, keyFile }
}
