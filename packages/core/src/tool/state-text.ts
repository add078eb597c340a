import type { ExecutorCapabilities } from '../code-executor.ts'

/** Tells a model what stays from one program to the next. */
export function stateText({
  languages,
  stateful,
}: Pick<ExecutorCapabilities, 'languages' | 'stateful'>): string {
  const kept = languages.filter((id) => stateful.includes(id))
  if (kept.length === 0)
    return 'Every program runs in a separate process: it shares no variables with earlier programs, but finds the files that they wrote.'
  if (kept.length === languages.length)
    return 'Variables, imports, functions and files persist between programs.'
  const list = new Intl.ListFormat('en').format(kept)
  return `Variables, imports and functions persist between ${list} programs. A program in another language runs in a separate process and shares no variables. Files persist for all programs.`
}
