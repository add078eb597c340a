import type { ApprovalRequest } from '@fenced/core'
import { useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { Always, Deny, Edit, Line } from './answer-forms.tsx'
import { api } from './api.ts'
import { Button } from './button.tsx'
import { cardKeys, withoutHeldKeys } from './card-keys.ts'
import { Facts } from './decision-facts.tsx'
import type { Attempt } from './item-context.ts'
import { MessageForm } from './message-form.tsx'
import type { PendingQuestion } from './run-view.ts'

interface DecisionProps {
  /** Of the conversation. */
  readonly id: string
  readonly question: PendingQuestion
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
  readonly attempt: Attempt
}

/**
 * A question: what would happen, where, and what isolates it from the machine. A person decides. A click or key that was meant for
 * something else decides nothing: keys work only while the focus is here, and nothing works before the question was on the screen
 * for a while.
 */
export function Decision({ id, question, tools, attempt }: DecisionProps) {
  const { request } = question
  const { kind } = request
  const [mode, setMode] = useState<Mode>('ask')
  const [isSent, setSent] = useState(false)
  const isSending = useRef(false)
  const isReady = useReady(mode) && !isSent
  const once = async (work: () => Promise<unknown>) => {
    if (!isReady || isSending.current) return
    isSending.current = true
    setSent(true)
    if (await attempt(work)) return
    isSending.current = false
    setSent(false)
  }
  const answer = (given: GivenAnswer) => once(() => api.answer(id, question, given))
  const allow = () =>
    mode === 'ask' && kind !== 'input' && kind !== 'message' && void answer({ decision: 'allow' })
  const stop = () => void once(() => api.stop(id, 'turn'))
  const change = (next: Mode) => isReady && setMode(next)
  // Edits are lost by the button only: Escape is also how the focus leaves the editor.
  const [isEdited, setEdited] = useState(false)
  const back = () => {
    setEdited(false)
    setMode('ask')
  }
  const box = useCardFocus(mode)
  const onKeyDown = cardKeys({
    a: allow,
    d: () => mode === 'ask' && change('deny'),
    e: () => mode === 'ask' && kind === 'code' && change('edit'),
    s: stop,
    escape: () => !isEdited && back(),
  })
  const form = { answer, back, isReady }
  return (
    <section
      className="decision"
      aria-label="Decision"
      ref={box}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onKeyDownCapture={withoutHeldKeys}
    >
      <h2>{titles[kind]}</h2>
      <Facts id={id} request={request} tools={tools} />
      {mode === 'deny' && <Deny {...form} />}
      {mode === 'edit' && kind === 'code' && <Edit blocks={request.blocks} onChange={setEdited} {...form} />}
      {mode === 'always' && (kind === 'code' || kind === 'network') && <Always request={request} {...form} />}
      {mode === 'ask' && kind === 'input' && (
        <Line request={request} answer={answer} deny={() => change('deny')} isReady={isReady} />
      )}
      {mode === 'ask' && kind === 'message' && (
        <MessageForm request={request} answer={answer} deny={() => change('deny')} isReady={isReady} />
      )}
      {mode === 'ask' && kind !== 'input' && kind !== 'message' && (
        <Buttons kind={kind} isReady={isReady} allow={allow} stop={stop} setMode={change} />
      )}
    </section>
  )
}

/** The card, which takes the focus back from a form that was closed, and shows the form that was opened. */
function useCardFocus(mode: Mode) {
  const box = useRef<HTMLElement>(null)
  const before = useRef(mode)
  useEffect(() => {
    if (before.current === mode) return
    before.current = mode
    if (mode === 'ask' || mode === 'always') box.current?.focus({ preventScroll: true })
    if (mode !== 'ask') box.current?.scrollIntoView({ block: mode === 'edit' ? 'start' : 'end' })
  }, [mode])
  return box
}

/** In milliseconds. A click or key that comes sooner was meant for what was there before. */
const readyMs = 500

/** Whether a view has been on the screen long enough to be answered. Another `view` waits again. */
function useReady(view: string): boolean {
  const [ready, setReady] = useState<string>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // The first frame is painted before the second one begins. A hidden tab has neither.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        timer = setTimeout(() => setReady(view), readyMs)
      })
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      setReady(undefined)
    }
  }, [view])
  return ready === view
}

type Mode = 'ask' | 'deny' | 'edit' | 'always'
type AllowedKind = Exclude<ApprovalRequest['kind'], 'input' | 'message'>

interface ButtonsProps {
  readonly kind: AllowedKind
  /** Whether it takes an answer: not yet where it has just appeared, and no longer where an answer is on its way. */
  readonly isReady: boolean
  readonly allow: () => void
  readonly stop: () => void
  readonly setMode: (mode: Mode) => void
}

function Buttons({ kind, isReady, allow, stop, setMode }: ButtonsProps) {
  return (
    <div className="buttons">
      <Button
        icon="play"
        label={allows[kind]}
        shortcut="a"
        className="primary"
        disabled={!isReady}
        onClick={allow}
      />
      <Button icon="cross" label="Deny" shortcut="d" disabled={!isReady} onClick={() => setMode('deny')} />
      {kind === 'code' && (
        <Button icon="edit" label="Edit" shortcut="e" disabled={!isReady} onClick={() => setMode('edit')} />
      )}
      {(kind === 'code' || kind === 'network') && (
        <Button label="Always …" className="quiet" disabled={!isReady} onClick={() => setMode('always')} />
      )}
      <Button icon="stop" label="Stop" shortcut="s" className="quiet" disabled={!isReady} onClick={stop} />
      <small className="hint">Keys work while this card has the focus.</small>
    </div>
  )
}

const titles: Readonly<Record<ApprovalRequest['kind'], string>> = {
  code: 'Run this?',
  tool: 'Allow this call?',
  network: 'Allow this connection?',
  input: 'The program asks',
  install: 'Install these packages?',
  file: 'Change this file?',
  process: 'Start this process?',
  message: 'Your message?',
}

const allows: Readonly<Record<AllowedKind, string>> = {
  code: 'Run',
  tool: 'Allow',
  network: 'Allow once',
  install: 'Install',
  file: 'Allow',
  process: 'Start',
}
