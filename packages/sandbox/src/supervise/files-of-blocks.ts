import { FencedError, type Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { CopyReport } from '../copy/copy-report.ts'
import { batches } from '../copy/look-in-target.ts'
import { whereIs } from '../exec/exec-target.ts'
import { lossOf } from '../sandbox-errors.ts'
import { watchForSilence } from './kept-sandbox.ts'
import type { CopiedFiles, ReadySandbox } from './ready-sandbox.ts'
import { type ProcessTarget, startProcess } from './start-process.ts'

/** How long the files of a block that was stopped may take to come, in milliseconds. */
const lastCopyMs = 60_000

/** Sends what changed on this machine, removes there what was removed here, and says in a notice what was left. */
export async function copyFilesIn(target: ReadySandbox, { signal, notice }: StartContext): Promise<void> {
  const { files } = target
  if (!('copy' in files)) return
  const { removed, report } = await files.copy.copyIn({ signal })
  if (report.skippedCount > 0) notice(notCopied('into', report))
  for (const names of batches(removed.map((name) => `./${name}`)))
    await removeThere({ ...target, files }, names, signal)
}

async function removeThere(
  target: ProcessTarget & { readonly files: CopiedFiles },
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { backend, directory, files } = target
  if (files.execs === undefined) return backend.removeFiles?.(directory, names, { signal })
  const request = { cwd: directory, killGraceMs: 0, role: 'block', signal, output: () => {} } as const
  const command = ['rm', '-rf', '--', ...names] as const
  const process = await startProcess({ ...target, execs: files.execs }, command, request)
  const loss = lossOf(await process.ended, 'files were removed in it')
  signal.throwIfAborted()
  if (loss !== undefined) throw loss
}

/** Brings what a block made, and says in a notice what was left. */
export async function copyFilesOut(
  { files, launched: { backend } }: ReadySandbox,
  { signal, notice }: StartContext,
): Promise<void> {
  if (!('copy' in files)) return
  // The time limit is the program's; its files still come, but not for ever.
  const limit = AbortSignal.timeout(lastCopyMs)
  const silence = new AbortController()
  using _ = watchForSilence(backend, () => silence.abort(unanswered(whereIs(backend))))
  const report = await files.copy
    .copyOut({ signal: AbortSignal.any([signal.aborted ? limit : signal, silence.signal]) })
    .catch((error: unknown) => {
      silence.signal.throwIfAborted()
      throw limit.aborted && error === limit.reason ? tooLate(error) : error
    })
  if (report.skippedCount > 0 || !report.complete) notice(notCopied('out of', report))
}

function unanswered(where: string): FencedError {
  return new FencedError({
    code: 'ENGINE_LOST',
    message: `The files of a block could not be copied out of the sandbox: ${where} did not answer. Check whether it is running, then run the block again.`,
    data: { backend: where },
  })
}

function tooLate(cause: unknown): FencedError {
  return new FencedError({
    code: 'ENGINE_LOST',
    message: `The files of a block that was stopped could not be copied out of the sandbox within ${lastCopyMs / 1_000} seconds. They stay in the sandbox; the next block copies them.`,
    data: { limitMs: `${lastCopyMs}` },
    cause,
  })
}

function notCopied(direction: 'into' | 'out of', { skipped, skippedCount, complete }: CopyReport): Notice {
  const listed = skipped.slice(0, 10)
  const shown = listed.map(({ name, why }) => `${JSON.stringify(name)} ${why}`)
  const more = skippedCount > shown.length ? `; and ${skippedCount - shown.length} more` : ''
  const rest = complete ? '' : ' There were too many files to check the rest.'
  return {
    code: 'files-not-copied',
    message: `Not copied ${direction} the sandbox: ${shown.join('; ')}${more}.${rest}`,
    data: { path: listed.map(({ name }) => name).join(', '), count: `${skippedCount}` },
  }
}
