import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import type { SocketName } from '../channels/zeromq-channels.ts'
import { unusable } from '../temporary-files.ts'

/**
 * What a kernel reads about its sockets, in a file.
 *
 * @see https://jupyter-client.readthedocs.io/en/stable/kernels.html#connection-files
 */
export interface ConnectionFile {
  readonly transport: 'ipc'
  /** The beginning of every socket's path; `-` and the "port" follow. */
  readonly ip: string
  readonly shell_port: number
  readonly iopub_port: number
  readonly stdin_port: number
  readonly control_port: number
  readonly hb_port: number
  readonly signature_scheme: 'hmac-sha256'
  readonly key: string
}

/** The longest path of a socket, in bytes: Linux takes 107, macOS 103. */
const maxSocketPath = 103

/**
 * Sockets are files in a private folder, so that no other user of this machine can connect.
 *
 * @throws FencedError `TEMP_DIR_UNUSABLE` for a folder in which there can be no sockets.
 */
export function connectionFile(folder: string): ConnectionFile {
  const ip = join(folder, 'k')
  if (Buffer.byteLength(`${ip}-1`) > maxSocketPath) throw unusable('its path is too long for a socket')
  if (process.platform === 'win32') throw noSockets()
  return {
    transport: 'ipc',
    ip,
    shell_port: 1,
    iopub_port: 2,
    stdin_port: 3,
    control_port: 4,
    hb_port: 5,
    signature_scheme: 'hmac-sha256',
    key: randomBytes(32).toString('hex'),
  }
}

/** The paths of the sockets to which a client connects. */
export function socketPaths(file: ConnectionFile): Readonly<Record<SocketName, string>> {
  const path = (port: number) => `${file.ip}-${port}`
  return {
    shell: path(file.shell_port),
    control: path(file.control_port),
    stdin: path(file.stdin_port),
    iopub: path(file.iopub_port),
  }
}

function noSockets(): FencedError {
  return new FencedError({
    code: 'KERNEL_START_FAILED',
    message:
      'A kernel without a server uses Unix sockets, which it does not support on Windows. Pass the executor a `server`: new LocalJupyterServer().',
    data: { option: 'server' },
  })
}
