import {
  type CodeExecutor,
  type DecisionLedger,
  exitCodes,
  FencedError,
  type StartOptions,
} from '@fenced/core'
import {
  type Asker,
  decidedCall,
  installableAs,
  installRequest,
  packageSchema,
  type SharedStart,
} from '@fenced/core/internal'
import { refusedToolOutput, runningToolOutput, type ToolOutput } from '@fenced/core/tool'
import { hideUsers } from '@fenced/shared'
import { sharedEnvironment } from '../python-environment.ts'
import { refusal } from './tool-messages.ts'
import type { ToolSettings } from './tool-options.ts'

interface RequestedPackagesOptions {
  readonly installable: ToolSettings['installablePackages']
  /** Installs packages, as pip accepts them. */
  readonly install: (packages: readonly string[], options: StartOptions) => Promise<void>
  readonly asker: Asker
  readonly ledger: DecisionLedger
  /** Calls a function with the executor that a question is about. */
  readonly withExecutor: <Result>(
    use: (executor: CodeExecutor) => Promise<Result>,
    options: StartOptions,
  ) => Promise<Result>
}

/** The packages that calls request. Each set is installed once, even if several calls request it at the same time. */
export class RequestedPackages {
  readonly #options: RequestedPackagesOptions
  readonly #installed = new Set<string>()
  readonly #installing = new Map<string, SharedStart<true>>()

  constructor(options: RequestedPackagesOptions) {
    this.#options = options
  }

  /** Installs the packages of a call. Yields the progress. Returns the reason if the program must not run. */
  async *prepare(
    packages: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ToolOutput, ToolOutput | undefined, undefined> {
    const chosen = this.#choose(packages)
    if ('refused' in chosen) return denied(refusal(chosen.refused, this.#options.installable))
    const { missing } = chosen
    if (missing.length === 0) return undefined
    try {
      const decided = await this.#decide(missing, signal)
      if (decided !== undefined && 'denial' in decided)
        return denied(`The packages were not installed, and nothing was run. Reason: ${decided.denial}`)
      yield runningToolOutput({ progress: `Installing ${hideUsers(missing.join(', '))}.` })
      await decided?.begin()
      try {
        await this.#install(missing, signal)
      } finally {
        // An installation that fails has ended.
        await decided?.end(signal.aborted ? 'unknown' : 'finished')
      }
      return undefined
    } catch (error) {
      if (!isInstallerFailure(error)) throw error
      const exitCode = exitCodes.notExecutable
      return refusedToolOutput({ status: 'invalid', exitCode, message: error.message })
    }
  }

  /** Forgets what is installed: the environment can be a different one from now on. */
  forget(): void {
    this.#installed.clear()
  }

  /** Returns the packages to install, as pip accepts them, or the first package that is not allowed. */
  #choose(
    packages: readonly string[],
  ): { readonly missing: readonly string[] } | { readonly refused: string } {
    const chosen = new Set<string>()
    for (const name of packages) {
      const entry = packageSchema.safeParse(name).success
        ? installableAs(name, this.#options.installable)
        : undefined
      if (entry === undefined) return { refused: name }
      chosen.add(entry.trim())
    }
    return { missing: [...chosen].filter((entry) => !this.#installed.has(entry)).toSorted() }
  }

  /** Asks whether packages may be installed, if an approver decides about that. */
  async #decide(packages: readonly string[], signal: AbortSignal) {
    const { asker, ledger, withExecutor } = this.#options
    if (!asker.has('install')) return undefined
    const decide = (executor: CodeExecutor) =>
      decidedCall(installRequest(executor, { packages }), {
        ledger,
        ask: (request) => asker.ask<'install'>(request, { signal }),
      })
    return await withExecutor(decide, { signal })
  }

  async #install(missing: readonly string[], signal: AbortSignal): Promise<void> {
    const key = missing.join('\n')
    const installing = this.#installing.get(key) ?? this.#shared(missing)
    this.#installing.set(key, installing)
    await installing.get({ signal })
    this.#installing.delete(key)
  }

  #shared(missing: readonly string[]): SharedStart<true> {
    return sharedEnvironment<true>(
      async (options) => {
        await this.#options.install(missing, options)
        for (const entry of missing) this.#installed.add(entry)
        return true
      },
      async () => {},
    )
  }
}

function denied(message: string): ToolOutput {
  return refusedToolOutput({ status: 'denied', exitCode: exitCodes.notExecutable, message })
}

/** A name that does not exist is the model's fault, which it can mend. */
function isInstallerFailure(error: unknown): error is FencedError {
  return FencedError.isInstance(error) && ['INSTALL_FAILED', 'EXTERNALLY_MANAGED'].includes(error.code)
}
