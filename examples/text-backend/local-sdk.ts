import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** Options of {@link LocalSdkSandbox.run}. */
export interface RunOptions {
  readonly onStdout: (text: string) => void
  readonly onStderr: (text: string) => void
}

/** A command that an SDK runs. */
export interface SdkCommand {
  sendStdin(text: string): Promise<void>
  /** Resolves with the exit code. */
  wait(): Promise<number | undefined>
  /** Closes the connection. The command keeps running. */
  disconnect(): void
}

/**
 * What many SDKs offer, with processes of this machine in the place of a service: command lines of a shell, and text. Nothing ends
 * stdin, and nothing holds output up. It isolates nothing.
 */
export class LocalSdkSandbox {
  /** Removed with the sandbox. */
  readonly directory: string
  /** On the environment of every process of the sandbox. */
  readonly #mark = `SDK_SANDBOX=${randomUUID()}`
  #isRunning = true

  /** @param directory - must not exist. */
  static async create(directory: string): Promise<LocalSdkSandbox> {
    await mkdir(directory, { mode: 0o700 })
    return new LocalSdkSandbox(directory)
  }

  private constructor(directory: string) {
    this.directory = directory
  }

  get isRunning(): boolean {
    return this.#isRunning
  }

  async run(commandLine: string, { onStdout, onStderr }: RunOptions): Promise<SdkCommand> {
    if (!this.#isRunning) throw new Error('sandbox not found')
    const [name = '', value = ''] = this.#mark.split('=')
    const child = spawn('/bin/sh', ['-c', commandLine], {
      cwd: this.directory,
      env: { ...process.env, [name]: value },
      stdio: 'pipe',
      detached: true,
    })
    child.stdout.setEncoding('utf8').on('data', onStdout)
    child.stderr.setEncoding('utf8').on('data', onStderr)
    child.stdin.on('error', () => {})
    return {
      sendStdin: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
      wait: () => exitOf(child),
      disconnect() {
        for (const stream of child.stdio) stream?.destroy()
      },
    }
  }

  async kill(): Promise<void> {
    this.#isRunning = false
    // A process that has just been forked may be missed, so this looks until none is found twice in a row.
    for (let without = 0; without < 2; without++) {
      if (await this.#killMarked()) without = 0
      await delay(20)
    }
    await rm(this.directory, { recursive: true, force: true })
  }

  async #killMarked(): Promise<boolean> {
    let found = false
    for (const id of await readdir('/proc')) {
      const environment = await readFile(`/proc/${id}/environ`, 'latin1').catch(() => '')
      if (!environment.includes(this.#mark)) continue
      found = true
      try {
        process.kill(Number(id), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
    return found
  }
}

function exitOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    child.once('close', (code) => resolve(code ?? undefined))
  })
}
