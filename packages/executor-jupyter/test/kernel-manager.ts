import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { KernelManager, ServerConnection } from '@jupyterlab/services'
import { afterAll, beforeAll, vi } from 'vitest'
import { serverAddress } from '../src/server/server-address.ts'

/** The client of JupyterLab for a server. */
export function kernelManager(info: JupyterConnectionInfo): KernelManager {
  const { url, token } = serverAddress(info)
  const settings = { baseUrl: url.href, wsUrl: url.href.replace('http', 'ws'), token, WebSocket }
  return new KernelManager({ serverSettings: ServerConnection.makeSettings(settings) })
}

/** The client writes to the console. */
export function silenceConsole(): void {
  beforeAll(() => {
    for (const method of ['log', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, method).mockReturnValue()
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })
}
