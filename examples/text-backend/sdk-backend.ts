import { randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import { HostWorkDirectory } from '@fenced/core/driver'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { SupervisedSandbox } from '@fenced/sandbox'
import { LocalSdkSandbox } from './local-sdk.ts'
import { textBackend } from './text-backend.ts'
import type { TextProcess, TextSandbox, TextStartOptions } from './text-sandbox.ts'

/** A sandbox of the SDK in the words of `textBackend`. */
export class SdkTextSandbox implements TextSandbox {
  readonly where = 'the local SDK'
  readonly #sandbox: LocalSdkSandbox

  constructor(sandbox: LocalSdkSandbox) {
    this.#sandbox = sandbox
  }

  async start(commandLine: string, { onStdout, onStderr, signal }: TextStartOptions): Promise<TextProcess> {
    signal.throwIfAborted()
    if (!this.#sandbox.isRunning) throw gone()
    const command = await this.#sandbox.run(commandLine, { onStdout, onStderr })
    return {
      write: (text) => command.sendStdin(text),
      ended: command.wait(),
      close: () => command.disconnect(),
    }
  }

  async state(): Promise<'running' | 'ended'> {
    return this.#sandbox.isRunning ? 'running' : 'ended'
  }

  async remove(): Promise<void> {
    await this.#sandbox.kill()
  }
}

function gone(): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: 'The sandbox was removed. Start again to get a new one.',
  })
}

/** Makes a sandbox with the SDK, and a backend of it. */
export async function startBackend(directory: string): Promise<SandboxBackend> {
  return textBackend(new SdkTextSandbox(await LocalSdkSandbox.create(directory)))
}

/** A whole sandbox, for executors: the files of its working directory are copied before and after each block. */
export function sdkSandbox(): SupervisedSandbox {
  const directory = newDirectory()
  return new SupervisedSandbox({
    name: 'sdk',
    capabilities: { isolation: 'none', network: 'open', limits: { memory: false, processes: false } },
    workDirectory: new HostWorkDirectory({ mountedAt: directory }),
    launch: async () => ({ id: randomUUID(), backend: await startBackend(directory) }),
  })
}

/** The path of a directory that does not exist yet. */
export function newDirectory(): string {
  return `/tmp/fenced-sdk-${randomUUID()}`
}
