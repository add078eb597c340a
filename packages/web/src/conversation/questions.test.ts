import { ApprovalQueue, type NetworkApprovalRequest } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import type { ConversationEvent } from '../event.ts'
import { pageQuestions } from './questions.ts'
import { RunRecorder } from './run-recorder.ts'

interface Request {
  readonly kind: string
  readonly id: string
}

/** The questions of a run, with its log. */
function questions({ allows = false, append = (_: ConversationEvent) => {} } = {}) {
  const queue = new ApprovalQueue()
  const log: ConversationEvent[] = []
  const remembered: NetworkApprovalRequest[] = []
  const recorder = new RunRecorder('run', (event) => {
    append(event)
    log.push(event)
  })
  const allowed = {
    allows: () => allows,
    remember: (request: NetworkApprovalRequest) => void remembered.push(request),
  }
  const asks = pageQuestions({ queue, recorder, allowed, askTool: undefined })
  const stop = new AbortController()
  const ask = (request: Request & Record<string, unknown>) =>
    // The page reads no other fields of a request.
    (asks[request.kind as keyof typeof asks] as (request: unknown, options: object) => unknown)(
      { digest: `digest of ${request.id}`, ...request },
      { signal: stop.signal },
    ) as Promise<unknown>
  return { queue, log, remembered, stop, ask }
}

const network = { kind: 'network', id: '1', host: 'api.test', port: 443 }

describe('a question of a run', () => {
  it('is in the log with its answer, in the order of the queue', async () => {
    const { queue, log, ask } = questions()
    const answering = ask({ kind: 'file', id: '1' })
    expect(queue.pending).toMatchObject([{ id: '1' }])
    expect(log).toMatchObject([{ type: 'approval-requested', runId: 'run', digest: 'digest of 1' }])
    queue.answer('1', { decision: 'deny', reason: 'No.' })
    expect(await answering).toMatchObject({ decision: 'deny' })
    expect(log.slice(1)).toMatchObject([
      { type: 'approval-answered', requestId: '1', remembered: false, answer: { reason: 'No.' } },
    ])
  })

  it('is withdrawn in the log when its run is stopped', async () => {
    const { queue, log, stop, ask } = questions()
    const answering = ask({ kind: 'file', id: '1' })
    stop.abort()
    await expect(answering).rejects.toBe(stop.signal.reason)
    expect(log.at(-1)).toEqual({ type: 'approval-withdrawn', runId: 'run', requestId: '1' })
    expect(queue.pending).toEqual([])
  })

  it('gives the program a secret that the log does not have', async () => {
    const { queue, log, ask } = questions()
    const answering = ask({ kind: 'input', id: '1', isSecret: true })
    queue.answer('1', { decision: 'answer', text: 'hunter2' })
    expect(await answering).toEqual({ decision: 'answer', text: 'hunter2' })
    expect(log.at(-1)).toMatchObject({ answer: { decision: 'answer', text: '' } })
  })

  it('rejects where the log cannot be written, and its later end is no unhandled rejection', async () => {
    const append = () => {
      throw new Error('disk full')
    }
    const { stop, ask } = questions({ append })
    await expect(ask({ kind: 'file', id: '1' })).rejects.toThrow('disk full')
    stop.abort()
  })
})

describe('a tool', () => {
  it('is asked about only if it requires that', async () => {
    const { queue, ask } = questions()
    const unasked = ask({ kind: 'tool', id: '1' })
    expect(queue.pending).toEqual([])
    expect(await unasked).toBe('allow')
    const answering = ask({ kind: 'tool', id: '2', needsApproval: true })
    queue.answer('2', 'deny')
    expect(await answering).toMatchObject({ decision: 'deny' })
  })
})

describe('a connection', () => {
  it('that the conversation allows is not asked about', async () => {
    const { queue, log, ask } = questions({ allows: true })
    const unasked = ask(network)
    expect([queue.pending, log]).toEqual([[], []])
    expect(await unasked).toBe('allow')
  })

  it.each([
    ['once', { decision: 'allow' }, 'allow', 0],
    ['for the run', { decision: 'allow', remember: 'run' }, { decision: 'allow', remember: 'run' }, 0],
    ['for the conversation', { decision: 'allow', remember: 'conversation' }, 'allow', 1],
    ['not', { decision: 'deny', reason: 'No.' }, { decision: 'deny', reason: 'No.' }, 0],
  ])('is allowed %s, as the page says', async (_, answer, answered, count) => {
    const { queue, remembered, ask } = questions()
    const answering = ask(network)
    queue.answer('1', answer as never)
    expect(await answering).toEqual(answered)
    expect(remembered).toHaveLength(count)
  })
})
