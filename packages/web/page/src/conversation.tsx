import { useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Decision } from './decision.tsx'
import type { Attempt } from './item-context.ts'
import { ItemView } from './item-view.tsx'
import { Progress } from './progress.tsx'
import type { Shown } from './use-events.ts'

export interface ConversationProps {
  readonly id: string
  readonly events: Shown
  readonly attempt: Attempt
  readonly show: (id: string) => void
}

/** Number of items drawn at first, and added for each request for earlier items. */
const shownAtOnce = 100

/** What was said and run, the newest of it, and the question that waits. */
export function Conversation({ id, events: { view, version }, attempt, show }: ConversationProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every change.
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [version])
  const [shown, setShown] = useState(shownAtOnce)
  const { question } = view
  const hidden = Math.max(0, view.items.length - shown)
  return (
    <section
      className="conversation"
      aria-label="Conversation"
      ref={box}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 80
      }}
    >
      <div className="items">
        {hidden > 0 && (
          <Button
            label={`Show earlier (${hidden})`}
            className="quiet"
            onClick={() => setShown(shown + shownAtOnce)}
          />
        )}
        {view.items.slice(hidden).map((item, index) => (
          <ItemView
            key={hidden + index}
            item={item}
            version={item.version}
            id={id}
            isWorking={view.isWorking}
            attempt={attempt}
            show={show}
          />
        ))}
        {view.isStarting && <Starting view={view} />}
        {question !== undefined && (
          <Decision
            id={id}
            question={question}
            tools={view.run?.tools ?? []}
            attempt={attempt}
            // Another question is another card, also where it has the same id.
            key={`${question.request.id} ${question.digest}`}
          />
        )}
      </div>
      <Announcer view={view} />
    </section>
  )
}

/** What happens before an answer: the executor starts. */
function Starting({ view }: { readonly view: Shown['view'] }) {
  return (
    <div className="preparing" role="status">
      <span className="spinner" aria-hidden="true" />
      {view.startNotices.length === 0
        ? 'Starting'
        : view.startNotices.map((notice) => <Progress key={notice.code} notice={notice} />)}
    </div>
  )
}

/** Says to a screen reader what is to be decided and what has ended, and not every word. */
function Announcer({ view: { question, run, isWorking } }: { readonly view: Shown['view'] }) {
  const text =
    question !== undefined
      ? question.request.question
      : run !== undefined
        ? 'A program runs.'
        : isWorking
          ? 'The model answers.'
          : 'It is your turn.'
  return (
    <p className="hidden" aria-live="polite">
      {text}
    </p>
  )
}
