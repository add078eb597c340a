import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the certificates of a TLS connection are. */
export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** Whether the engine has to prove who it is. */
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
