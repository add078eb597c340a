import { visibleName } from '@fenced/errors/text'
import { answerParts } from './answer-parts.ts'
import { Icon } from './icon.tsx'
import type { AnswerItem } from './item.ts'
import type { ItemContext } from './item-context.ts'
import { Prose } from './prose.tsx'
import { BlockCard, RunFooter } from './run-card.tsx'

/** What a model said, or a document: prose, with a card instead of each program that runs. */
export function AnswerView({ item, ...context }: ItemContext & { readonly item: AnswerItem }) {
  const { run, state } = item
  const parts = answerParts(item)
  return (
    <article className="answer" data-state={state}>
      {item.document !== undefined && (
        <p className="note">
          <Icon name="file" /> {visibleName(item.document)}
        </p>
      )}
      {item.agent !== undefined && <p className="note speaker">{visibleName(item.agent)}</p>}
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
