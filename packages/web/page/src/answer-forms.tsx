import type { ApprovalBlock, CodeApprovalRequest, InputRequest, NetworkApprovalRequest } from '@fenced/core'
import { visibleName } from '@fenced/core/text'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { DiffView } from './diff-view.tsx'
import { Form } from './form.tsx'
import { Icon } from './icon.tsx'

const Editor = lazy(() => import('./editor.tsx'))

export interface AnswerProps {
  readonly answer: (given: GivenAnswer) => unknown
  readonly back: () => void
  /** Whether the question takes an answer. */
  readonly isReady: boolean
}

export function Deny({ answer, back, isReady }: AnswerProps) {
  const [reason, setReason] = useState('')
  return (
    <Form
      className="answer-form"
      send={() => answer({ decision: 'deny', reason: reason.trim() || 'A person did not want it.' })}
    >
      <label>
        Why? The model reads it.
        <textarea
          rows={2}
          // biome-ignore lint/a11y/noAutofocus: a person has just asked for it.
          autoFocus
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="buttons">
        <button type="submit" className="primary" disabled={!isReady}>
          Deny
        </button>
        <button type="button" disabled={!isReady} onClick={back}>
          Back
        </button>
      </div>
    </Form>
  )
}

interface EditProps extends AnswerProps {
  readonly blocks: readonly ApprovalBlock[]
  /** Called with whether the programs differ from those that the question is about. */
  readonly onChange: (isChanged: boolean) => void
}

export function Edit({ blocks, answer, back, isReady, onChange }: EditProps) {
  const [codes, setCodes] = useState(blocks.map(({ code }) => code))
  const isChanged = codes.some((code, index) => code !== blocks[index]?.code)
  useEffect(() => onChange(isChanged), [isChanged, onChange])
  const run = () =>
    answer({
      decision: 'edit',
      blocks: blocks.map(({ language, code }, index) => ({ language, code: codes[index] ?? code })),
    })
  return (
    <div className="answer-form">
      {blocks.map(({ code, language }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks stay in their order.
        <div key={index} className="edit">
          <Suspense fallback={<p className="note">The editor is loading.</p>}>
            <Editor
              code={code}
              language={language}
              label={`Program ${index + 1} (${visibleName(language)})`}
              onChange={(next) => setCodes((all) => all.with(index, next))}
            />
          </Suspense>
          {codes[index] !== code && <DiffView before={code} after={codes[index] ?? ''} />}
        </div>
      ))}
      <div className="buttons">
        <button type="button" className="primary" disabled={!isChanged || !isReady} onClick={run}>
          <Icon name="play" /> Run edited code
        </button>
        <button type="button" disabled={!isReady} onClick={back}>
          Back
        </button>
      </div>
    </div>
  )
}

/** An answer that applies to later questions names its scope, and is confirmed. */
export function Always({
  request,
  answer,
  back,
  isReady,
}: AnswerProps & { readonly request: CodeApprovalRequest | NetworkApprovalRequest }) {
  const scope =
    request.kind === 'code'
      ? `All code of this conversation, ${request.target.description}`
      : `All connections of this conversation to ${visibleName(request.host)}, port ${request.port}`
  return (
    <div className="answer-form">
      <p>What does the answer apply to? You can take it back at the top of the page.</p>
      <div className="buttons">
        {request.kind === 'code' && request.remembersCode !== false && (
          <button
            type="button"
            disabled={!isReady}
            onClick={() => answer({ decision: 'allow', remember: 'code' })}
          >
            Exactly this code, {request.target.description}
          </button>
        )}
        {request.kind === 'network' && (
          <button
            type="button"
            disabled={!isReady}
            onClick={() => answer({ decision: 'allow', remember: 'run' })}
          >
            All connections of this run to it
          </button>
        )}
        <button
          type="button"
          className="danger"
          disabled={!isReady}
          onClick={() => answer({ decision: 'allow', remember: 'conversation' })}
        >
          {scope}
        </button>
        <button type="button" disabled={!isReady} onClick={back}>
          Back
        </button>
      </div>
    </div>
  )
}

/** A line that a program reads. */
export function Line({
  request: { isSecret },
  answer,
  deny,
  isReady,
}: Pick<AnswerProps, 'answer' | 'isReady'> & {
  readonly request: InputRequest
  readonly deny: () => void
}) {
  const [text, setText] = useState('')
  const field = useFreeFocus<HTMLInputElement>()
  return (
    <Form className="answer-form" send={() => answer({ decision: 'answer', text })}>
      <input
        ref={field}
        aria-label="Answer"
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="buttons">
        <button type="submit" className="primary" disabled={!isReady}>
          <Icon name="send" /> Answer
        </button>
        <button type="button" disabled={!isReady} onClick={deny}>
          <Icon name="cross" /> No answer <kbd>d</kbd>
        </button>
      </div>
    </Form>
  )
}

/** Moves the focus to a field when it appears, unless a person is writing elsewhere. */
export function useFreeFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null)
  useEffect(() => {
    if (document.activeElement?.matches('input, textarea, [contenteditable="true"]') !== true)
      field.current?.focus()
  }, [])
  return field
}
