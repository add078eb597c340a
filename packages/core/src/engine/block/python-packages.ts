import { errorMessage, FencedError } from '@fenced/errors'
import { hideUsers } from '@fenced/shared'
import type { InstallRequest, PermissionAnswer } from '../../approval/ask-requests.ts'
import type { Asking } from '../../approval/code-questions.ts'
import { installRequest } from '../../approval/install-request.ts'
import { recordedCall } from '../../approval/recorded-call.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import type { BlockEnd } from '../block-end.ts'
import type { PreparedBlock } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import { withAdvice } from '../failures/operator-advice.ts'
import { namedModuleNotice } from '../files/named-modules.ts'
import type { BlockRecorder } from '../output/block-recorder.ts'
import { installableAs } from '../packages/installable.ts'
import { findMissingPackage, longestEndBytes, type MissingPackage } from '../packages/missing-package.ts'
import type { Deadline } from '../time/deadline.ts'
import { noticeOf } from './block-outcome.ts'

/** The maximum number of installations for one block. */
const maxInstallations = 10

/** Parts of the running block for {@link PythonPackages}. */
export interface RunningBlock {
  readonly engine: EngineContext
  readonly recorder: BlockRecorder
  readonly deadline: Deadline
  /** Whether its program has changed files of the work directory so far. */
  readonly hasChangedFiles: () => Promise<boolean>
  /** Decides about installations. */
  readonly asking: Pick<Asking, 'asker' | 'ledger'>
  readonly blockIndex: number
}

/** The end of the block, or with which notice its program is run once more. */
export type NextStep = { readonly end: BlockEnd } | { readonly runAgain: Notice }

/**
 * Handles a package that a Python program lacks: the result says how to get it, or, if it may be installed, it is installed
 * and the program runs once more, unless it has changed files.
 */
export class PythonPackages {
  readonly #block: RunningBlock
  readonly #installed = new Set<string>()

  constructor(block: RunningBlock) {
    this.#block = block
  }

  /** Returns the next step after the end of a program. */
  async next({ language }: PreparedBlock, end: BlockEnd): Promise<NextStep> {
    if (end.status !== 'error' || language.id !== 'python') return { end }
    const { recorder, deadline, hasChangedFiles } = this.#block
    const missing = this.#missing()
    if (missing === undefined) return { end }
    const named = namedModuleNotice(this.#block.engine, missing.module)
    if (named !== undefined) {
      recorder.notice(named)
      return { end }
    }
    const wanted = this.#installable(missing)
    if (wanted === undefined) {
      recorder.notice(await this.#hint(missing))
      return { end }
    }
    const failure = await deadline.guard(this.#installIfApproved(missing, wanted))
    if (failure === 'abandoned') return { end: { ...end, ...deadline.abandonedEnd() } }
    if (deadline.reason !== undefined) return { end: { ...end, ...deadline.stoppedEnd(deadline.reason) } }
    if (failure !== undefined) {
      recorder.notice(await this.#hint(missing))
      recorder.notice(failure)
      return { end }
    }
    this.#installed.add(wanted)
    if (!(await hasChangedFiles())) return { runAgain: installedNotice(missing, hideUsers(wanted)) }
    recorder.notice(installedForNextTime(missing, hideUsers(wanted)))
    return { end }
  }

  /** With separate streams, the traceback in `output` may precede text that was printed earlier. */
  #missing(): MissingPackage | undefined {
    const { recorder } = this.#block
    return (
      findMissingPackage(recorder.tail('stderr', longestEndBytes)) ??
      findMissingPackage(recorder.tail('output', longestEndBytes))
    )
  }

  /** Returns the requirement for pip, or `undefined` when the package may not be installed. */
  #installable({ distribution }: MissingPackage): string | undefined {
    const { engine, deadline } = this.#block
    const { missingPackages, installablePackages } = engine.options
    const isEnough = this.#installed.size === maxInstallations || deadline.reason !== undefined
    if (missingPackages !== 'install' || isEnough) return undefined
    const wanted = installableAs(distribution.name, installablePackages)
    return wanted === undefined || this.#installed.has(wanted) ? undefined : wanted
  }

  /** Resolves as {@link #install}; with a notice where the approver denies, or the ledger does. */
  async #installIfApproved(missing: MissingPackage, wanted: string): Promise<Notice | undefined> {
    const { asking, deadline, engine, blockIndex } = this.#block
    const { signal } = deadline
    if (!asking.asker.has('install')) return await this.#install(wanted)
    const denied = (reason: string) => deniedNotice(missing, { wanted: hideUsers(wanted), reason })
    const { name, capabilities, driver } = engine
    const where = { name, capabilities, workDir: driver.workDirectory?.hostPath }
    try {
      const made = await recordedCall(installRequest(where, { packages: [wanted], blockIndex }), {
        ledger: asking.ledger,
        ask: (request) => this.#ask(request),
        make: () => this.#install(wanted),
        isLeftBehind: () => signal.aborted,
      })
      return 'denial' in made ? denied(made.denial) : made.output
    } catch (error) {
      return signal.aborted ? undefined : denied(errorMessage(error))
    }
  }

  /** Rejects only when the block is stopped. */
  async #ask(request: InstallRequest): Promise<PermissionAnswer> {
    const { asking, deadline } = this.#block
    using _limit = deadline.limitQuestion()
    return await asking.asker.ask<'install'>(request, { signal: deadline.signal })
  }

  /** Resolves with why it failed; with `undefined` when it went well, or when the block was stopped meanwhile. */
  async #install(wanted: string): Promise<Notice | undefined> {
    const { engine, recorder, deadline } = this.#block
    const { signal } = deadline
    try {
      await engine.driver.packages?.install?.([wanted], {
        signal,
        notice: (notice) => recorder.progress(notice),
      })
      return undefined
    } catch (error) {
      const message = errorMessage(error)
      const data = FencedError.isInstance(error) ? error.data : { reason: message }
      return signal.aborted ? undefined : noticeOf('install-failed', { message, data })
    }
  }

  /** Returns the notice about a missing module, with the way to get it where the code runs. */
  async #hint({ module, distribution }: MissingPackage): Promise<Notice> {
    const { name, isKnown } = distribution
    const { command, advice, operatorAdvice } = (await this.#block.engine.driver.packages?.advise(name)) ?? {
      advice: 'Install it where the code runs.',
    }
    const what = isKnown
      ? `The module ${module} is not installed. It comes with the package ${name}.`
      : `The module ${module} is not installed. Unless it is one of your own files, it may come with a package of that name (verify the name first).`
    const notice: Notice = {
      code: 'missing-package',
      message: `${what} ${advice}`,
      data: { module, distribution: name, ...(command === undefined ? {} : { command }) },
    }
    return operatorAdvice === undefined ? notice : withAdvice(notice, operatorAdvice)
  }
}

function deniedNotice(
  { module, distribution }: MissingPackage,
  { wanted, reason }: { readonly wanted: string; readonly reason: string },
): Notice {
  return {
    code: 'install-denied',
    message: `The module ${module} is missing. The package ${wanted} was not installed, because it was not approved: ${reason}`,
    data: { module, distribution: distribution.name, requirement: wanted, reason },
  }
}

function installedNotice({ module, distribution }: MissingPackage, wanted: string): Notice {
  return {
    code: 'package-installed',
    message: `The module ${module} was missing. The package ${wanted} was installed, and the block was run once more.`,
    data: { module, distribution: distribution.name, requirement: wanted },
  }
}

/** A second run would repeat the changes of files. */
function installedForNextTime({ module, distribution }: MissingPackage, wanted: string): Notice {
  return {
    code: 'package-installed',
    message: `The module ${module} was missing. The package ${wanted} was installed. The block was not run again, because it had changed files before it failed. Run it again if that is safe.`,
    data: { module, distribution: distribution.name, requirement: wanted },
  }
}
