import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ZeromqConnection } from '../channels/zeromq-channels.ts'

/**
 * What a kernel is told about its sockets, in a file.
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

/** Sockets that are files in a folder of this user: nobody else on this machine can connect. */
export function connectionFile(folder: string): ConnectionFile {
  return {
    transport: 'ipc',
    ip: join(folder, 'k'),
    shell_port: 1,
    iopub_port: 2,
    stdin_port: 3,
    control_port: 4,
    hb_port: 5,
    signature_scheme: 'hmac-sha256',
    key: randomBytes(32).toString('hex'),
  }
}

export function zeromqConnection(file: ConnectionFile): ZeromqConnection {
  const address = (port: number) => `ipc://${file.ip}-${port}`
  return {
    addresses: {
      shell: address(file.shell_port),
      control: address(file.control_port),
      stdin: address(file.stdin_port),
      iopub: address(file.iopub_port),
    },
    key: file.key,
  }
}
