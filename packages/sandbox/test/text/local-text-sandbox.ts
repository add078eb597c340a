import { spawn } from 'node:child_process'
import type { TextProcess, TextSandbox, TextStartOptions } from '../../src/index.ts'

/** Processes of this machine whose streams are text, as an SDK has them. */
export class LocalTextSandbox implements TextSandbox {
  async start(commandLine: string, { onStdout, onStderr }: TextStartOptions): Promise<TextProcess> {
    const child = spawn('/bin/sh', ['-c', commandLine], { stdio: 'pipe', detached: true })
    child.stdout.setEncoding('utf8').on('data', onStdout)
    child.stderr.setEncoding('utf8').on('data', onStderr)
    child.stdin.on('error', () => {})
    return {
      write: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
      ended: new Promise((resolve) => void child.once('close', (code) => resolve(code ?? undefined))),
      close() {
        for (const stream of child.stdio) stream?.destroy()
      },
    }
  }

  async state(): Promise<'running' | 'ended' | 'unknown'> {
    return 'running'
  }

  async remove(): Promise<void> {}
}
