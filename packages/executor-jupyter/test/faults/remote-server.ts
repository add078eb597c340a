import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { programEnvironment, ResidentProcess, withPathFirst } from '@fenced/host'
import { answering } from '../../src/server/answering.ts'
import { findFreePort } from '../../src/server/free-port.ts'
import { jupyterProgram } from '../support.ts'

export interface RemoteServerOptions {
  /** Default `jupyter_server`. */
  readonly module?: 'jupyter_server' | 'kernel_gateway'
  readonly args?: readonly string[]
  readonly token?: string
  readonly baseUrl?: string
}

/** Connection info of which nothing is left out. */
export interface RemoteInfo {
  readonly host: string
  readonly port: number
  readonly token: string
  readonly baseUrl: string
}

/** A server that knows nothing of us, and is reached by nothing but where it is. */
export class RemoteServer implements AsyncDisposable {
  readonly info: RemoteInfo
  readonly #process: ResidentProcess
  readonly #folder: string

  private constructor(info: RemoteInfo, process: ResidentProcess, folder: string) {
    this.info = info
    this.#process = process
    this.#folder = folder
  }

  static async start({
    module = 'jupyter_server',
    args = [],
    token = 'remote-token-1d7c',
    baseUrl = '/',
  }: RemoteServerOptions = {}): Promise<RemoteServer> {
    const host = '127.0.0.1'
    const port = await findFreePort(host)
    const folder = await mkdtemp(join(tmpdir(), 'fenced-remote-'))
    const python = jupyterProgram('python')
    const process = new ResidentProcess({
      command: [
        python,
        '-c',
        startModule(module),
        `--ip=${host}`,
        `--port=${port}`,
        '--port_retries=0',
        ...args,
      ],
      cwd: folder,
      env: {
        ...withPathFirst(
          programEnvironment(globalThis.process.env, { env: {}, inheritEnv: false }),
          dirname(python),
        ),
        JUPYTER_RUNTIME_DIR: folder,
        // Jupyter forgets a folder there.
        TMPDIR: folder,
        JUPYTER_NO_CONFIG: '1',
        JUPYTER_TOKEN: token,
        KG_AUTH_TOKEN: token,
      },
    })
    const server = new RemoteServer({ host, port, token, baseUrl }, process, folder)
    try {
      await answering(server.info, { exited: process.exited, timeoutMs: 50_000 })
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw new Error(`${module} did not start: ${process.stderrTail}`, { cause: error })
    }
  }

  /** Of its REST interface. */
  async call(method: string, path: string): Promise<unknown> {
    const { host, port, token, baseUrl } = this.info
    const answer = await fetch(`http://${host}:${port}${baseUrl}api/${path}`, {
      method,
      headers: { authorization: `token ${token}` },
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : await answer.json()
  }

  async kernelIds(): Promise<string[]> {
    return ((await this.call('GET', 'kernels')) as Array<{ id: string }>).map(({ id }) => id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.end(5_000)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** As `python -m` does, without a check of addresses that no test needs and that takes seconds to load. */
function startModule(module: string): string {
  return `import runpy, sys; sys.modules['rfc3987_syntax'] = None; runpy.run_module('${module}', run_name='__main__', alter_sys=True)`
}

/** Arguments for a `jupyter_server`. */
export const serverArguments = ['--ServerApp.open_browser=False', '--ServerApp.allow_root=True']
