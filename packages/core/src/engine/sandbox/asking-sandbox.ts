import { FencedError } from '@fenced/errors'
import type { AskKind, AskKinds } from '../../approval/ask.ts'
import type { Asking } from '../../approval/code-questions.ts'
import { checkSpawn } from '../../sandbox/environment-schema.ts'
import { executorSandbox } from '../../sandbox/executor-sandbox.ts'
import { spawnOptionNames } from '../../sandbox/option-names.ts'
import type { ExecutorSandbox } from '../../sandbox/sandbox.ts'
import { checkFilesOptions, type MoveFileOptions, type SandboxFiles } from '../../sandbox/sandbox-files.ts'
import type { SandboxProcess, SpawnOptions } from '../../sandbox/sandbox-process.ts'
import { type AskingPlace, askedAction } from './asked-action.ts'
import { holdContent } from './held-content.ts'
import { fileRequest, processRequest } from './sandbox-requests.ts'

/** The executor of a sandbox that asks. */
interface AskingSandboxParts {
  /** Named in the questions, and withdraws those that are open when it stops. */
  readonly executor: AskingPlace
  readonly asking: () => Pick<Asking, 'asker' | 'ledger'>
}

type SandboxKind = 'file' | 'process'
type SandboxRequest = AskKinds[SandboxKind]['request']

/**
 * Returns a sandbox that asks before it starts a process and before it changes a file. Reading asks nothing. Commands, variables and
 * content are copied before the question, so exactly what was shown happens.
 */
export function askingSandbox(sandbox: ExecutorSandbox, parts: AskingSandboxParts): ExecutorSandbox {
  const questions = new SandboxQuestions(sandbox, parts)
  const { network } = sandbox
  const asked = {
    get capabilities() {
      return { ...sandbox.capabilities, asks: questions.areAsked }
    },
    // Its methods change files without a question.
    shared: undefined,
    // An observer must not decide about connections in place of `ask`.
    network: network && {
      watch: (observer) => network.watch({ onConnection: (each) => observer.onConnection?.(each) }),
    },
    spawn: (command, options) => questions.spawn(command, options),
    files: questions.files(),
  } satisfies Partial<ExecutorSandbox>
  return Object.defineProperties(executorSandbox(sandbox), Object.getOwnPropertyDescriptors(asked))
}

class SandboxQuestions {
  readonly #sandbox: ExecutorSandbox
  readonly #parts: AskingSandboxParts

  constructor(sandbox: ExecutorSandbox, parts: AskingSandboxParts) {
    this.#sandbox = sandbox
    this.#parts = parts
  }

  get areAsked(): boolean {
    return this.#decides('process') || this.#decides('file')
  }

  async spawn(given: readonly [string, ...string[]], options: SpawnOptions = {}): Promise<SandboxProcess> {
    const [program, ...words] = given
    const command = [program, ...words] as const
    const checked = checkSpawn(command, { ...options, env: { ...options.env } }, spawnOptionNames)
    const start = () => this.#sandbox.spawn(command, checked)
    if (!this.#decides('process')) return await start()
    if (checked.terminal !== undefined) throw noInput('terminal', 'cannot be set')
    if (checked.stdin === 'open') throw noInput('stdin', 'cannot be "open"')
    const request = processRequest(this.#parts.executor, command, checked)
    return await this.#made(request, checked.signal, start)
  }

  files(): SandboxFiles {
    const { files } = this.#sandbox
    const { executor } = this.#parts
    return {
      read: (path, options) => files.read(path, options),
      stat: (path, options) => files.stat(path, options),
      list: (path, options) => files.list(path, options),
      watch: (path, options) => files.watch(path, options),
      write: async (path, given, options = {}) => {
        const names = { mode: true, onProgress: true } as const
        const { mode, onProgress, signal } = checkFilesOptions(options, names)
        if (!this.#decides('file')) return await files.write(path, given, { mode, onProgress, signal })
        await using held = await holdContent(given, { path, signal })
        const { file, content } = held
        const change = { action: 'write', path, file, ...(mode === undefined ? {} : { mode }) } as const
        await this.#made(fileRequest(executor, change), signal, () =>
          files.write(path, content, { mode, onProgress, signal }),
        )
      },
      makeDirectory: async (path, options = {}) => {
        const { signal } = checkFilesOptions(options)
        await this.#made(fileRequest(executor, { action: 'make-directory', path }), signal, () =>
          files.makeDirectory(path, { signal }),
        )
      },
      remove: async (path, options = {}) => {
        const { signal } = checkFilesOptions(options)
        await this.#made(fileRequest(executor, { action: 'remove', path }), signal, () =>
          files.remove(path, { signal }),
        )
      },
      move: (from, to, options) => this.#transfer('move', [from, to], options),
      copy: (from, to, options) => this.#transfer('copy', [from, to], options),
    }
  }

  async #transfer(
    action: 'move' | 'copy',
    [path, newPath]: readonly [string, string],
    options: MoveFileOptions = {},
  ): Promise<void> {
    const { overwrite = true, signal } = checkFilesOptions(options, { overwrite: true })
    const { files } = this.#sandbox
    const request = fileRequest(this.#parts.executor, { action, path, newPath, overwrite })
    await this.#made(request, signal, () => files[action](path, newPath, { overwrite, signal }))
  }

  /** An approver of code decides about each kind, since a kind without a function is denied. */
  #decides(kind: AskKind): boolean {
    const { asker } = this.#parts.asking()
    return asker.has('code') || asker.has(kind)
  }

  async #made<Output>(
    request: SandboxRequest,
    signal: AbortSignal | undefined,
    make: () => Promise<Output>,
  ): Promise<Output> {
    if (!this.#decides(request.kind)) return await make()
    const { executor, asking } = this.#parts
    return await askedAction({ executor, asking: asking(), isAsked: true, request, signal, make })
  }
}

function noInput(option: 'stdin' | 'terminal', problem: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong options for spawn(): "${option}" ${problem} in a sandbox that asks, because a question cannot show later input. Write the input to a file, and let the command read it.`,
    data: { option },
  })
}
