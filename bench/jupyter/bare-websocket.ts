import { once } from 'node:events'
import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { WebSocket } from 'ws'
import { executeRequest } from './messages.ts'

/** A kernel of a server and the least that can be done with its WebSocket. */
export class BareWebSocket implements AsyncDisposable {
  readonly #socket: WebSocket
  readonly #remove: () => Promise<unknown>
  #idle: { readonly id: string; readonly done: () => void } | undefined

  static async open({ host, port, token = '' }: JupyterConnectionInfo): Promise<BareWebSocket> {
    const url = `http://${host}:${port}/api/kernels`
    const headers = { authorization: `token ${token}` }
    const answer = await fetch(url, { method: 'POST', headers, body: '{"name":"python3"}' })
    const { id } = (await answer.json()) as { id: string }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/${id}/channels`, { headers })
    await once(socket, 'open')
    const bare = new BareWebSocket(socket, () => fetch(`${url}/${id}`, { method: 'DELETE', headers }))
    await bare.run('')
    return bare
  }

  private constructor(socket: WebSocket, remove: () => Promise<unknown>) {
    this.#socket = socket
    this.#remove = remove
    socket.on('message', (data) => {
      const { header, parent_header: parent, content } = JSON.parse(`${data}`)
      const isIdle = header.msg_type === 'status' && content.execution_state === 'idle'
      if (isIdle && parent.msg_id === this.#idle?.id) this.#idle?.done()
    })
  }

  async run(code: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { id, header, content } = executeRequest(code)
    this.#idle = { id, done: resolve }
    this.#socket.send(
      JSON.stringify({ channel: 'shell', header, parent_header: {}, metadata: {}, content, buffers: [] }),
    )
    await promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.terminate()
    await this.#remove()
  }
}
