import type { AnswerItem } from './item.ts'
import type { BlockView, RunView } from './run-view.ts'

/** What is shown of an answer: its texts, and its programs in their places. */
export function answerParts({ text, state, run }: AnswerItem): (string | BlockView)[] {
  // The model's sign for the end of its work is for programs.
  return partsOf(state === 'open' ? text : text.replace(/\s*\bTERMINATE\s*$/, ''), programsOf(run))
}

/** The programs of a run in the order of the text, with those that the person left out. */
function programsOf(run: RunView | undefined): readonly BlockView[] {
  if (run === undefined || run.left.length === 0) return run?.blocks ?? []
  return [...run.blocks, ...run.left].sort((a, b) => (a.lines?.from ?? 0) - (b.lines?.from ?? 0))
}

/** Prose and blocks in their order. A block whose lines are not known follows the one before it. */
function partsOf(text: string, blocks: readonly BlockView[]): (string | BlockView)[] {
  const lines = text.split('\n')
  const parts: (string | BlockView)[] = []
  let at = 0
  for (const block of blocks) {
    const { from, to } = block.lines ?? { from: at + 1, to: at }
    if (from > at) parts.push(lines.slice(at, from - 1).join('\n'))
    parts.push(block)
    at = Math.max(at, to)
  }
  parts.push(lines.slice(at).join('\n'))
  return parts.filter((part) => typeof part !== 'string' || part.trim() !== '')
}
