import type { Notice } from '@fenced/core'
import type { PauseSwitch } from '@fenced/core/internal'
import type { SandboxBackend } from '@fenced/core/sandbox'
import { raceGrace } from '@fenced/shared'
import { type ExecTarget, runBestEffort } from '../exec/exec-target.ts'
import type { ReadySandbox } from './ready-sandbox.ts'

/** How long the answer may take, in milliseconds: less than an executor gives a block to stop. */
const answerMs = 3_000

/** Whether a sandbox outlives its process: its removal would take it from others. */
export function isKept({
  launched: { outlivesStop = false },
  isDetached = false,
}: Pick<ReadySandbox, 'launched'> & { readonly isDetached?: boolean }): boolean {
  return outlivesStop || isDetached
}

/** Whether what a sandbox belongs to does not answer. */
export async function isSilent(backend: Pick<SandboxBackend, 'state'>): Promise<boolean> {
  const state = await raceGrace(backend.state(), answerMs)
  return state === 'late' || state === 'unknown'
}

/** Interval of the checks, in milliseconds, and how many in a row must fail. */
const checkEveryMs = 5_000
const failedChecks = 3

/** Calls `onSilent` when what a sandbox belongs to no longer answers. */
export function watchForSilence(backend: Pick<SandboxBackend, 'state'>, onSilent: () => void): Disposable {
  let failed = 0
  const timer = setInterval(async () => {
    failed = (await isSilent(backend)) ? failed + 1 : 0
    if (failed === failedChecks) onSilent()
  }, checkEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** How often a detached sandbox is used within the time after which it expires, and how long one use may take, in milliseconds. */
const timesBeforeExpiry = 4
const useLimitMs = 10_000

/** Starts a process in a detached sandbox from time to time, so that it does not expire while its host is there. */
export function keepInUse(target: ExecTarget, expiresInMs: number, pause: PauseSwitch): NodeJS.Timeout {
  const start = () => runBestEffort(target, ['/bin/sh', '-c', ':'], { limitMs: useLimitMs, ref: false })
  const use = () => (pause.isPaused ? undefined : pause.whileRunning(start))
  return setInterval(use, expiresInMs / timesBeforeExpiry).unref()
}

/** @param where - what does not answer. */
export function notBegunNotice(where: string): Notice {
  return {
    code: 'died',
    message: `The program was not run: ${where} did not answer within the time limit. Check whether it is running, then run the block again.`,
    data: { backend: where },
  }
}

/** @param where - what does not answer. */
export function unseenEndNotice(where: string): Notice {
  return {
    code: 'died',
    message: `Fenced could not see the block end: ${where} did not answer. Parts of the block may have run. Check whether it is running, then run the block again.`,
    data: { backend: where },
  }
}

/**
 * The connection of the block is closed, which ends the block once the end arrives.
 *
 * @param where - what does not answer.
 */
export function keptNotice(where: string): Notice {
  return {
    code: 'leftovers-remain',
    message: `${where} does not respond, so Fenced could not see the block end. Its sandbox outlives this process and is kept. Parts of the block may run in it until the connection ends there as well.`,
    data: { backend: where },
  }
}
