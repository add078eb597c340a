import { visibleName } from '@fenced/errors/text'
import { Icon } from './icon.tsx'
import type { ItemContext } from './item-context.ts'
import { Prose } from './prose.tsx'
import { BlockCard, RunFooter } from './run-card.tsx'
import type { BlockView } from './run-view.ts'
import type { AnswerItem } from './view.ts'

/** What a model said, or a document: prose, with a card instead of each program that runs. */
export function AnswerView({ item, ...context }: ItemContext & { readonly item: AnswerItem }) {
  const { run, state } = item
  // The model's sign for the end of its work is for programs.
  const text = state === 'open' ? item.text : item.text.replace(/\s*\bTERMINATE\s*$/, '')
  const parts = partsOf(text, run?.blocks ?? [])
  return (
    <article className="answer" data-state={state}>
      {item.document !== undefined && (
        <p className="note">
          <Icon name="file" /> {visibleName(item.document)}
        </p>
      )}
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          <Prose key={index} text={part} />
        ) : (
          <BlockCard key={index} block={part} run={run} {...context} />
        ),
      )}
      {state === 'open' && <span className="caret" aria-hidden="true" />}
      {state === 'cut' && <p className="note">The answer is incomplete, so its code was not run.</p>}
      {item.reachedLimit === true && (
        <p className="note">The answer was cut off at the model’s limit of tokens.</p>
      )}
      {run !== undefined && <RunFooter run={run} {...context} />}
    </article>
  )
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
