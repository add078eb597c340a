import { formatDuration } from '@fenced/errors/text'
import type { BlockView, RunView } from './run-view.ts'

const words: Readonly<Record<string, string>> = {
  ok: 'finished',
  timeout: 'stopped at its time limit',
  cancelled: 'stopped',
  'output-limit': 'stopped: it printed too much',
  'out-of-memory': 'ended: out of memory',
  denied: 'not run',
  invalid: 'could not be run',
  died: 'its executor died',
  skipped: 'not a program',
}

/** The state of a program, as a kind and in words. */
export function stateOf(
  block: BlockView,
  run: RunView | undefined,
): { readonly kind: string; readonly words: string } {
  const { startedAt, end } = block
  if (end !== undefined) {
    const { status, exitCode, durationMs } = end
    const kind = status === 'ok' || status === 'skipped' ? 'ok' : 'bad'
    const outcome = `${words[status] ?? `failed with exit code ${exitCode}`} after ${formatDuration(durationMs)}`
    return run?.isUndone === true
      ? { kind: 'undone', words: `${outcome}, then undone` }
      : { kind, words: outcome }
  }
  if (run?.left.includes(block) === true) return { kind: 'denied', words: 'not run: left out by the person' }
  if (run?.result !== undefined) {
    const isDenied = run.result.status === 'denied'
    return { kind: isDenied ? 'denied' : 'bad', words: isDenied ? 'not run: denied' : 'not run' }
  }
  // The question about a program precedes its run; questions about calls and connections occur during the run.
  const asked = run?.pending
    .map(({ request }) => request)
    .find(({ kind }) => (kind === 'code') === (startedAt === undefined))
  if (asked !== undefined)
    return {
      kind: 'asked',
      words: `waits for your ${asked.kind === 'input' || asked.kind === 'message' ? 'answer' : 'decision'}`,
    }
  const kind = startedAt === undefined ? 'waiting' : 'running'
  return { kind, words: kind }
}
