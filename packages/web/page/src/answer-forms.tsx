import type { CodeApprovalRequest, InputRequest, NetworkApprovalRequest } from '@fenced/core'
import { visibleName } from '@fenced/errors/text'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'

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
        <Button label="Deny" type="submit" disabled={!isReady} />
        <Button label="Back" disabled={!isReady} onClick={back} />
      </div>
    </Form>
  )
}

interface EditButtonsProps extends AnswerProps {
  readonly request: CodeApprovalRequest
  /** The edited programs. */
  readonly codes: readonly string[] | undefined
  /** Whether the programs differ from those that the question is about. */
  readonly isEdited: boolean
}

/** The buttons of an edit. The editors are in the places of the programs, above. */
export function EditButtons({ request, codes, isEdited, answer, back, isReady }: EditButtonsProps) {
  const { blocks, target } = request
  const run = () =>
    answer({
      decision: 'edit',
      blocks: blocks.map(({ language, code }, index) => ({ language, code: codes?.[index] ?? code })),
    })
  return (
    <div className="answer-form">
      <p>
        {isEdited ? 'The changes are below the editor.' : 'Edit the program above.'} It runs{' '}
        <strong data-isolation={target.isolation}>{target.description}</strong>.
      </p>
      <div className="buttons">
        <Button
          icon="play"
          label="Run edited code"
          className="primary"
          disabled={!isEdited || !isReady}
          onClick={run}
        />
        <Button label="Back" disabled={!isReady} onClick={back} />
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
  return (
    <div className="answer-form">
      <p>What does the answer apply to? You can take it back at the top of the page.</p>
      <div className="buttons">
        {scopesOf(request).map(([label, given], index, { length }) => (
          <Button
            key={label}
            label={label}
            className={index === length - 1 ? 'danger' : ''}
            disabled={!isReady}
            onClick={() => answer(given)}
          />
        ))}
        <Button label="Back" disabled={!isReady} onClick={back} />
      </div>
    </div>
  )
}

/** The narrowest scope comes first. */
function scopesOf(
  request: CodeApprovalRequest | NetworkApprovalRequest,
): (readonly [label: string, given: GivenAnswer])[] {
  const conversation = { decision: 'allow', remember: 'conversation' } as const
  if (request.kind === 'network')
    return [
      ['All connections of this run to it', { decision: 'allow', remember: 'run' }],
      [
        `All connections of this conversation to ${visibleName(request.host)}, port ${request.port}`,
        conversation,
      ],
    ]
  const { description } = request.target
  return [
    [`Exactly this code, ${description}`, { decision: 'allow', remember: 'code' }] as const,
    [`All code of this conversation, ${description}`, conversation] as const,
  ]
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
        <Button icon="send" label="Answer" type="submit" disabled={!isReady} />
        <Button icon="cross" label="No answer" shortcut="d" disabled={!isReady} onClick={deny} />
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
