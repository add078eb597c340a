import { FencedError } from '@fenced/core'
import type { Kernel } from '@jupyterlab/services'

/** Address of the server of a connection, without a user name and a password. */
export function serverOf({ serverSettings }: Kernel.IKernelConnection): string {
  const url = new URL(serverSettings.baseUrl)
  url.username = ''
  url.password = ''
  return url.href
}

export function connectionClosed(connection: Kernel.IKernelConnection, cause?: unknown): FencedError {
  const { id, status } = connection
  const url = serverOf(connection)
  const end = status === 'dead' ? 'The kernel has ended' : 'The connection to the kernel is closed'
  return new FencedError({
    code: status === 'dead' ? 'KERNEL_GONE' : 'JUPYTER_UNREACHABLE',
    message: `${end}: kernel "${id}" of the Jupyter server at ${url}. If \`connection\` is a function, call restart() to get a new kernel. Otherwise create an executor with a new connection.`,
    data: { url, kernel: id, option: 'server.connection' },
    cause,
  })
}
