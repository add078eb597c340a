import { useEffect, useRef } from 'react'
import { Virtualizer } from 'virtua'
import type { Place } from './api.ts'
import { Button } from './button.tsx'
import { Decision } from './decision.tsx'
import { EditContext, useEditState } from './edit-context.ts'
import type { Attempt } from './item-context.ts'
import { ItemView } from './item-view.tsx'
import { Progress } from './progress.tsx'
import type { Shown } from './use-events.ts'
import { useFollow } from './use-follow.ts'

interface ConversationProps {
  readonly id: string
  readonly events: Shown
  readonly attempt: Attempt
  readonly show: (id: string) => void
  /** Where the programs run, if it is known. */
  readonly place: Place | undefined
}

/** What was said and run, and the question that waits. Only the items in view are in the document. */
export function Conversation({ id, events: { view }, attempt, show, place }: ConversationProps) {
  const { box, content, onScroll, isAtEnd, toEnd } = useFollow()
  const { question, items } = view
  const { edit, begin, end } = useEditState(question, view.run?.id)
  useOwnMessages(view, toEnd)
  return (
    <div className="conversation-frame">
      <section className="conversation" aria-label="Conversation" ref={box} tabIndex={0} onScroll={onScroll}>
        <div className="items" ref={content}>
          <EditContext value={edit}>
            <Virtualizer
              scrollRef={box}
              data={items}
              bufferSize={600}
              startMargin={itemsPadding}
              keepMounted={view.runItem === -1 ? [] : [view.runItem]}
            >
              {(item, index) => (
                <div className="item" key={index}>
                  <ItemView
                    item={item}
                    version={item.version}
                    id={id}
                    isWorking={view.isWorking}
                    attempt={attempt}
                    show={show}
                    undoable={view.undoable}
                  />
                </div>
              )}
            </Virtualizer>
          </EditContext>
          {view.isStarting && <Starting view={view} />}
          {question !== undefined && (
            <Decision
              id={id}
              question={question}
              tools={view.run?.tools ?? []}
              place={place}
              attempt={attempt}
              edit={{ codes: edit?.codes, begin, end }}
              // Another question is another card, also where it has the same id.
              key={`${question.request.id} ${question.digest}`}
            />
          )}
        </div>
        <Announcer view={view} />
      </section>
      {!isAtEnd && (
        <Button
          icon="newest"
          label={question === undefined ? 'To the newest' : 'To the decision'}
          className={question === undefined ? 'to-newest' : 'to-newest asked'}
          onClick={toEnd}
        />
      )}
    </div>
  )
}

/** Above the first item, in pixels. */
const itemsPadding = 26

/** What a person sends or undoes is shown, wherever they were reading. */
function useOwnMessages({ items }: Shown['view'], toEnd: () => void): void {
  const messages = items.findLastIndex(({ type }) => type === 'person' || type === 'undo')
  const before = useRef(messages)
  useEffect(() => {
    if (messages > before.current) toEnd()
    before.current = messages
  }, [messages, toEnd])
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
function Announcer({ view: { question, run, isWorking, items } }: { readonly view: Shown['view'] }) {
  const last = items.at(-1)
  const text =
    question !== undefined
      ? question.request.question
      : run !== undefined
        ? 'A program runs.'
        : isWorking
          ? 'The model answers.'
          : last?.type === 'undo'
            ? last.text
            : 'It is your turn.'
  return (
    <p className="hidden" aria-live="polite">
      {text}
    </p>
  )
}
