import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ScriptedAnswer, ScriptedModel } from '@fenced/agents/testing'
import type { NetworkOption } from '@fenced/core'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { wrapLanguageModel } from 'ai'
import { type FencedWebOptions, serveFencedWeb, type WebExecutor } from '../src/index.ts'
import { jupyterEnvironment } from './requirements.ts'

type StreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
type Prompt = ScriptedModel['prompts'][number]
type Script =
  | readonly ScriptedAnswer[]
  | ((call: number, prompt: Prompt) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** A server with a real interpreter and a model that says what its script says. */
export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly origin: string
  readonly token: string
  readonly directory: string
  readonly model: ScriptedModel
  /** Ends it; the directory stays. */
  close(): Promise<void>
}

export interface TestServerOptions extends Partial<FencedWebOptions> {
  readonly script?: Script
  /** The model says the rest of an answer, from this word on, when the promise is fulfilled. */
  readonly pause?: { readonly before: string; readonly until: Promise<void> }
  readonly port?: number
}

export async function serveTest({
  script = [],
  pause,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'fenced-web-')))
  const model = new ScriptedModel(script)
  const served = await serveFencedWeb({
    executors: [local],
    models: [{ id: 'scripted', name: 'Scripted', model: pause ? pausing(model, pause) : model }],
    ...options,
    directory,
  })
  const { origin, hash } = new URL(served.url)
  return {
    url: served.url,
    origin,
    token: hash.slice('#token='.length),
    directory,
    model,
    close: () => served.close(),
    async [Symbol.asyncDispose]() {
      await served.close()
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

function pausing(model: ScriptedModel, { before, until }: NonNullable<TestServerOptions['pause']>) {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream()
        const words = new TransformStream<StreamPart, StreamPart>({
          async transform(part, controller) {
            if (part.type === 'text-delta' && part.delta.includes(before)) await until
            controller.enqueue(part)
          },
        })
        return { ...rest, stream: stream.pipeThrough(words) }
      },
    },
  })
}

/** A server in a process of its own, with a model that gives these answers one after the other. */
export async function serveInProcess(directory: string, ...script: string[]) {
  const file = fileURLToPath(new URL('programs/serve.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@fenced/source', file, directory, ...script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const { url, origin, token } = JSON.parse(`${line}`) as Pick<TestServer, 'url' | 'origin' | 'token'>
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { url, origin, token, kill, [Symbol.asyncDispose]: kill }
}

/** Processes of this machine, not isolated. */
export const local: WebExecutor = {
  id: 'local',
  name: 'This machine',
  describedBy: new LocalCommandLineCodeExecutor(),
  createExecutor: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir }),
}

/** Processes in bubblewrap. */
export const sandboxed: WebExecutor = {
  id: 'sandbox',
  name: 'Sandbox on this machine',
  describedBy: new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' }),
  createExecutor: ({ workDir }) => new LocalCommandLineCodeExecutor({ workDir, isolation: 'bubblewrap' }),
}

/** Processes in bubblewrap, whose Python keeps its variables. */
export const stateful: WebExecutor = {
  ...sandboxed,
  createExecutor: ({ workDir }) =>
    new LocalCommandLineCodeExecutor({ workDir, isolation: 'bubblewrap', stateful: true }),
}

/** A sandbox whose programs may connect to one port of this machine by its address, and are asked about otherwise. */
export function networkByList(port: number): WebExecutor {
  const network: NetworkOption = {
    allowedHosts: ['api.test'],
    allowedCIDRs: ['127.0.0.1/32'],
    ports: [port],
  }
  return {
    id: 'listed',
    name: 'A sandbox with a list',
    createExecutor: ({ workDir }) =>
      new LocalCommandLineCodeExecutor({
        workDir,
        network,
        isolation: 'bubblewrap',
        memoryBytes: false,
        pids: false,
      }),
  }
}

/** A kernel for each conversation. */
export const kernel: WebExecutor = {
  id: 'kernel',
  name: 'A kernel',
  createExecutor: ({ workDir }) => new JupyterCodeExecutor({ python: jupyterEnvironment, workDir }),
}

/** Processes of this machine that find the wheels that a person has named, once `ready` has resolved. */
export function withWheels(ready: Promise<unknown>): WebExecutor {
  return {
    id: 'wheels',
    name: 'With wheels',
    takesPackages: true,
    async createExecutor({ workDir, packages, onNotice }) {
      const target = join(workDir, 'packages')
      for (const wheel of packages) {
        onNotice({ code: 'install', message: `Installing ${wheel}` })
        execFileSync('python3', ['-m', 'zipfile', '-e', wheel, target])
      }
      await ready
      return new LocalCommandLineCodeExecutor({ workDir, env: { PYTHONPATH: target } })
    },
  }
}

/** Makes a package of one module, to be installed without a network. @returns its path. */
export function makeWheel(folder: string): string {
  const name = 'fenced_greeting'
  const path = join(folder, `${name}-1.0-py3-none-any.whl`)
  const files = {
    [`${name}.py`]: 'value = 42',
    [`${name}-1.0.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    [`${name}-1.0.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${name}-1.0.dist-info/RECORD`]: '',
  }
  const code =
    'import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as wheel:\n    for item in json.loads(sys.argv[2]).items(): wheel.writestr(*item)'
  execFileSync('python3', ['-c', code, path, JSON.stringify(files)])
  return path
}

/** A server on the loopback that always answers the same. */
export async function httpServer(text: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An answer with one program. */
export function program(code: string, { language = 'python', prose = 'I try this.' } = {}): string {
  return `${prose}\n\n\`\`\`${language}\n${code}\n\`\`\`\n`
}

/** The last text that a model was given. */
export function lastText(prompt: Prompt): string {
  const { content } = prompt.at(-1) ?? { content: '' }
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
