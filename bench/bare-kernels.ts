import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { WebSocket } from 'ws'
import { Dealer, Subscriber } from 'zeromq'

/** The parts of a request to run code, as every Jupyter client sends it. */
function executeRequest(code: string) {
  const id = randomUUID()
  const header = {
    msg_id: id,
    msg_type: 'execute_request',
    session: id,
    username: 'bench',
    date: new Date().toISOString(),
    version: '5.3',
  }
  const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false }
  return { id, header, content, parts: [header, {}, {}, content] }
}

function headerOf(frame: Buffer | undefined): { msg_id?: string; msg_type?: string } {
  return JSON.parse(`${frame}`)
}

const key = 'bench'

/** A kernel and the least that can be done with its sockets: a request out, frames read until it is idle. */
export class BareKernel implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #shell = new Dealer({ linger: 0, reconnectInterval: 5 })
  readonly #iopub = new Subscriber({ linger: 0, reconnectInterval: 5, receiveHighWaterMark: 0 })
  #idle: { readonly id: string; readonly done: () => void } | undefined

  static async start(python: string): Promise<BareKernel> {
    const folder = await mkdtemp(join(tmpdir(), 'fenced-bench-'))
    const file = join(folder, 'connection.json')
    const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 }
    const address = { transport: 'ipc', ip: join(folder, 'k'), signature_scheme: 'hmac-sha256', key }
    await writeFile(file, JSON.stringify({ ...address, ...ports }))
    const child = spawn(python, ['-m', 'ipykernel_launcher', '-f', file], { stdio: 'ignore' })
    const kernel = new BareKernel(child, folder)
    while (!(await Promise.race([kernel.run('').then(() => true), sleep(100, false)])));
    return kernel
  }

  private constructor(child: ChildProcess, folder: string) {
    this.#process = child
    this.#folder = folder
    this.#shell.connect(`ipc://${folder}/k-1`)
    this.#iopub.connect(`ipc://${folder}/k-2`)
    this.#iopub.subscribe()
    void this.#read()
    void this.#readReplies()
  }

  get processId(): number | undefined {
    return this.#process.pid
  }

  async run(code: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { id, parts } = executeRequest(code)
    this.#idle = { id, done: resolve }
    const frames = parts.map((part) => Buffer.from(JSON.stringify(part)))
    const hmac = createHmac('sha256', key)
    for (const frame of frames) hmac.update(frame)
    await this.#shell.send(['<IDS|MSG>', hmac.digest('hex'), ...frames])
    await promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
    this.#shell.close()
    this.#iopub.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #read(): Promise<void> {
    for await (const frames of this.#iopub) {
      const [header, parent, , content] = frames.slice(
        frames.findIndex((frame) => `${frame}` === '<IDS|MSG>') + 2,
      )
      if (headerOf(header).msg_type !== 'status' || `${content}`.includes('busy')) continue
      if (headerOf(parent).msg_id === this.#idle?.id) this.#idle?.done()
    }
  }

  async #readReplies(): Promise<void> {
    for await (const _ of this.#shell);
  }
}

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
