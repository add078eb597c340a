import type { ApprovalRequest } from '@fenced/core'
import { useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { Always, Deny, EditButtons, Line } from './answer-forms.tsx'
import { api, type Place } from './api.ts'
import { Button } from './button.tsx'
import { cardKeys, withoutHeldKeys } from './card-keys.ts'
import { Facts } from './decision-facts.tsx'
import type { Attempt } from './item-context.ts'
import { MessageForm } from './message-form.tsx'
import { ProgramChoice } from './program-choice.tsx'
import type { PendingQuestion } from './run-view.ts'

interface DecisionProps {
  /** Of the conversation. */
  readonly id: string
  readonly question: PendingQuestion
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
  /** Where the programs run, if it is known. */
  readonly place: Place | undefined
  readonly attempt: Attempt
  /** The edited programs, if the person edits them, and how to begin and end that. */
  readonly edit: {
    readonly codes: readonly string[] | undefined
    readonly begin: () => void
    readonly end: () => void
  }
}

/**
 * A question: what would happen, where, and what isolates it from the machine. A person decides. A click or key that was meant for
 * something else decides nothing: keys work only while the focus is here, and nothing works before the question was on the screen
 * for a while.
 */
export function Decision({ id, question, tools, place, attempt, edit }: DecisionProps) {
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
  const blocks = kind === 'code' ? request.blocks : []
  const [chosen, setChosen] = useState<readonly boolean[]>(() => blocks.map(() => true))
  const allow = () => {
    if (
      mode !== 'ask' ||
      kind === 'input' ||
      kind === 'message' ||
      !(blocks.length === 0 || chosen.includes(true))
    )
      return
    const some = blocks.filter((_, index) => chosen[index])
    void answer(
      some.length === blocks.length
        ? { decision: 'allow' }
        : { decision: 'edit', blocks: some.map(({ language, code }) => ({ language, code })) },
    )
  }
  const change = (next: Mode) => {
    if (!isReady) return
    if (next === 'edit') edit.begin()
    setMode(next)
  }
  const isEdited = edit.codes?.some((code, index) => code !== blocks[index]?.code) === true
  const back = () => {
    edit.end()
    setMode('ask')
  }
  const box = useCardFocus(mode)
  const onKeyDown = cardKeys({
    a: allow,
    d: () => mode === 'ask' && change('deny'),
    e: () => mode === 'ask' && kind === 'code' && change('edit'),
    // Edits are lost by the button only: Escape is also how the focus leaves the editor.
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
      <h2>{blocks.length > 1 ? `Run these ${blocks.length} programs?` : titles[kind]}</h2>
      {blocks.length > 1 && mode === 'ask' && (
        <ProgramChoice blocks={blocks} chosen={chosen} choose={setChosen} isReady={isReady} />
      )}
      {mode !== 'edit' && <Facts id={id} request={request} tools={tools} place={place} />}
      {mode === 'deny' && <Deny {...form} />}
      {mode === 'edit' && kind === 'code' && (
        <EditButtons request={request} codes={edit.codes} isEdited={isEdited} {...form} />
      )}
      {mode === 'always' && (kind === 'code' || kind === 'network') && <Always request={request} {...form} />}
      {mode === 'ask' && kind === 'input' && (
        <Line request={request} answer={answer} deny={() => change('deny')} isReady={isReady} />
      )}
      {mode === 'ask' && kind === 'message' && (
        <MessageForm request={request} answer={answer} deny={() => change('deny')} isReady={isReady} />
      )}
      {mode === 'ask' && kind !== 'input' && kind !== 'message' && (
        <Buttons
          kind={kind}
          label={allowLabel(kind, chosen)}
          isReady={isReady}
          canAllow={blocks.length === 0 || chosen.includes(true)}
          allow={allow}
          setMode={change}
        />
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
    // The editor takes the focus in the program's place, above the card.
    if (mode === 'deny' || mode === 'always') box.current?.scrollIntoView({ block: 'end' })
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
  /** Of the button that allows. */
  readonly label: string
  /** Whether it takes an answer: not yet where it has just appeared, and no longer where an answer is on its way. */
  readonly isReady: boolean
  /** Whether at least one program is chosen. */
  readonly canAllow: boolean
  readonly allow: () => void
  readonly setMode: (mode: Mode) => void
}

function Buttons({ kind, label, isReady, canAllow, allow, setMode }: ButtonsProps) {
  return (
    <div className="buttons">
      <Button
        icon="play"
        label={label}
        shortcut="a"
        className="primary"
        disabled={!isReady || !canAllow}
        onClick={allow}
      />
      <Button icon="cross" label="Deny" shortcut="d" disabled={!isReady} onClick={() => setMode('deny')} />
      {kind === 'code' && (
        <Button icon="edit" label="Edit" shortcut="e" disabled={!isReady} onClick={() => setMode('edit')} />
      )}
      {(kind === 'code' || kind === 'network') && (
        <Button label="Always …" className="quiet" disabled={!isReady} onClick={() => setMode('always')} />
      )}
      <small className="hint">Keys work while this card has the focus.</small>
    </div>
  )
}

function allowLabel(kind: AllowedKind, chosen: readonly boolean[]): string {
  const count = chosen.filter(Boolean).length
  if (kind !== 'code' || chosen.length < 2) return allows[kind]
  return count === chosen.length ? `Run all ${count}` : `Run ${count} of ${chosen.length}`
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
