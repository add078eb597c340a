import type { ApprovalRequest } from '@fenced/core'
import { useEffect, useRef, useState } from 'react'
import type { GivenAnswer } from '../../src/event.ts'
import { Always, Deny, Edit, Line } from './answer-forms.tsx'
import { api } from './api.ts'
import type { Attempt } from './app.tsx'
import { Facts } from './decision-facts.tsx'
import { Icon } from './icon.tsx'
import { useKeys } from './use-keys.ts'

interface DecisionProps {
  /** Of the conversation. */
  readonly id: string
  readonly request: ApprovalRequest
  /** The names of what the programs can call. */
  readonly tools: readonly string[]
  readonly attempt: Attempt
}

/** A question: what would happen, where, and what isolates it from the machine. A person decides. */
export function Decision({ id, request, tools, attempt }: DecisionProps) {
  const [mode, setMode] = useState<Mode>('ask')
  const [isSent, setSent] = useState(false)
  const answer = async (given: GivenAnswer) => {
    setSent(true)
    if (!(await attempt(() => api.answer(id, request.id, given)))) setSent(false)
  }
  const { kind } = request
  const allow = () => mode === 'ask' && !isSent && kind !== 'input' && void answer({ decision: 'allow' })
  const stop = () => void attempt(() => api.stop(id, 'turn'))
  const back = () => setMode('ask')
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // Room for what it asks next, and for the editor when it has been loaded.
    if (mode !== 'ask') box.current?.scrollIntoView({ block: mode === 'edit' ? 'start' : 'end' })
  }, [mode])
  useKeys({
    a: allow,
    d: () => mode === 'ask' && setMode('deny'),
    e: () => mode === 'ask' && kind === 'code' && setMode('edit'),
    s: stop,
    escape: back,
  })
  return (
    <section className="decision" aria-label="Decision" ref={box}>
      <h2>{titles[kind]}</h2>
      <Facts id={id} request={request} tools={tools} />
      {mode === 'deny' && <Deny answer={answer} back={back} />}
      {mode === 'edit' && kind === 'code' && <Edit blocks={request.blocks} answer={answer} back={back} />}
      {mode === 'always' && (kind === 'code' || kind === 'network') && (
        <Always request={request} answer={answer} back={back} />
      )}
      {mode === 'ask' && kind === 'input' && (
        <Line request={request} answer={answer} deny={() => setMode('deny')} />
      )}
      {mode === 'ask' && kind !== 'input' && (
        <Buttons kind={kind} isSent={isSent} allow={allow} stop={stop} setMode={setMode} />
      )}
    </section>
  )
}

type Mode = 'ask' | 'deny' | 'edit' | 'always'
type AllowedKind = Exclude<ApprovalRequest['kind'], 'input'>

interface ButtonsProps {
  readonly kind: AllowedKind
  /** Whether an answer is on its way. */
  readonly isSent: boolean
  readonly allow: () => void
  readonly stop: () => void
  readonly setMode: (mode: Mode) => void
}

function Buttons({ kind, isSent, allow, stop, setMode }: ButtonsProps) {
  return (
    <div className="buttons">
      <button type="button" className="primary" disabled={isSent} onClick={allow}>
        <Icon name="play" /> {allows[kind]} <kbd>a</kbd>
      </button>
      <button type="button" disabled={isSent} onClick={() => setMode('deny')}>
        <Icon name="cross" /> Deny <kbd>d</kbd>
      </button>
      {kind === 'code' && (
        <button type="button" disabled={isSent} onClick={() => setMode('edit')}>
          <Icon name="edit" /> Edit <kbd>e</kbd>
        </button>
      )}
      {kind !== 'tool' && (
        <button type="button" className="quiet" disabled={isSent} onClick={() => setMode('always')}>
          Always …
        </button>
      )}
      <button type="button" className="quiet" onClick={stop}>
        <Icon name="stop" /> Stop <kbd>s</kbd>
      </button>
    </div>
  )
}

const titles: Readonly<Record<ApprovalRequest['kind'], string>> = {
  code: 'Run this?',
  tool: 'Allow this call?',
  network: 'Allow this connection?',
  input: 'The program asks',
}

const allows: Readonly<Record<AllowedKind, string>> = {
  code: 'Run',
  tool: 'Allow',
  network: 'Allow once',
}
