import type { Notice } from '@fenced/core'
import type { CopyLacks, WentBack } from './checkpoint-reports.ts'
import type { SessionState } from './session-states.ts'

/** What going back did not undo, and where it went. */
export interface Return {
  readonly state: SessionState
  readonly went: WentBack
  /** Names of tools that the undone blocks called. */
  readonly tools: readonly string[]
}

/** Returns the notices after a return to an earlier state. `what` is the first sentence: why it happened. */
export function returnNotices(what: string, { state, went, tools }: Return): readonly Notice[] {
  const place = state.block === 0 ? 'as at the start of the session' : `as after block ${state.block}`
  const rest = notUndone(state, { went, tools })
  const tail = rest.length === 0 ? '' : ` Not undone: ${rest.join(' ')}`
  const data = { block: `${state.block}`, ...(rest.length === 0 ? {} : { notUndone: rest.join(' ') }) }
  if (went.way === 'lost') {
    const why = went.problem === undefined ? '' : ` (${went.problem})`
    const message = `${what} The variables could not be restored and are lost${why}. Files are ${place}.${tail}`
    return [{ code: 'state-lost', message, data }]
  }
  if (went.way === 'reload') {
    const names = went.lost.join(', ')
    const lost = names === '' ? '' : ` These variables are lost: ${names}.`
    const message = `${what} A new Python has the variables ${place}, because ${whyReloaded(state.lacks)}.${lost} Settings of modules are as after an import. Files are ${place}.${tail}`
    return [{ code: 'state-reloaded', message, data: { ...data, lost: names } }]
  }
  return [{ code: 'state-restored', message: `${what} Variables and files are ${place}.${tail}`, data }]
}

/** Whether a copy of this Python could not continue. */
export function needsReload({ gpu, pools, busy, libraries }: CopyLacks): boolean {
  return [gpu, pools, busy, libraries].some((names) => names !== undefined)
}

/** A sentence for each kind of thing that a return does not restore. */
function notUndone({ lacks }: SessionState, { went, tools }: Pick<Return, 'went' | 'tools'>): string[] {
  const isCopy = went.way === 'copy'
  return [
    ...(tools.length === 0 ? [] : [`calls of tools (${countsOf(tools)}).`]),
    ...(went.failed === undefined
      ? ['files: the working directory has too many of them.']
      : sentence(went.failed, (names) => `the files ${names}, which were not kept or could not be written.`)),
    ...sentence(lacks.memory, (names) => `shared memory (${names}).`),
    ...sentence(lacks.deleted, (names) => `open files that have been deleted (${names}).`),
    ...sentence(
      went.running,
      (names) => `running processes: ${names}. Their end cannot be seen from this state.`,
    ),
    ...sentence(isCopy ? lacks.threads : undefined, (names) => `threads: ${names} no longer run.`),
    ...sentence(
      isCopy ? lacks.native : undefined,
      (names) => `threads of libraries: ${names} no longer run.`,
    ),
    ...sentence(isCopy ? lacks.locks : undefined, (names) => `file locks: ${names} is not locked now.`),
    ...sentence(
      isCopy ? lacks.connections : undefined,
      () => 'connections and pipes: those of earlier blocks are closed. Open them again.',
    ),
    ...sentence(
      isCopy ? lacks.objects : undefined,
      (names) => `descriptors (${names}): those of earlier blocks are closed. Open them again.`,
    ),
  ]
}

function sentence(names: readonly string[] | undefined, of: (names: string) => string): readonly string[] {
  return names === undefined || names.length === 0 ? [] : [of(names.map((name) => `\`${name}\``).join(', '))]
}

function countsOf(tools: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of tools) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${count} of \`${name}\``).join(', ')
}

function whyReloaded({ gpu, pools, busy, libraries }: CopyLacks): string {
  if (libraries !== undefined) return `a copy of ${libraries.join(', ')} cannot continue`
  if (pools !== undefined) return 'a copy of a process pool cannot continue'
  if (busy !== undefined) return 'a task was running in a thread pool'
  return gpu === undefined ? 'a copy cannot continue' : 'memory of the GPU is not in a copy'
}

/** There is no checkpoint where one was expected. */
export function checkpointMissing(block: number, reason: string): Notice {
  return {
    code: 'checkpoint-dropped',
    message: `There is no checkpoint after block ${block}: ${reason}. \`undo()\` cannot return to that state.`,
    data: { block: `${block}`, reason },
  }
}
