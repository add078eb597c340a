import { type ApprovalRequest, DecisionLedger, type NetworkApprovalRequest } from '@fenced/core'
import { askerOf } from '@fenced/core/internal'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import type { ConversationEvent, GivenAnswer } from '../event.ts'
import { Outline } from './outline.ts'
import { PageQuestions } from './questions.ts'
import { RememberedAnswers } from './remembered-answers.ts'

interface Request {
  readonly kind: string
  readonly id: string
}

/** The questions of a run, as an executor asks them, with the run's log. */
function questions({ allows = false, append = (_: ConversationEvent) => {} } = {}) {
  const log: ConversationEvent[] = []
  const write = (event: ConversationEvent) => {
    append(event)
    log.push(event)
  }
  const connections: NetworkApprovalRequest[] = []
  const remembered = new RememberedAnswers([], () => {})
  remembered.allowsConnection = () => allows
  remembered.addConnection = (request) => void connections.push(request)
  const page = new PageQuestions({ ledger: new DecisionLedger(), remembered, askTool: undefined })
  page.begin({
    executor: new LocalCommandLineCodeExecutor(),
    known: new Outline([], undefined),
    append: write,
    prepare: async (_, question) => {
      for (const event of question('run')) write(event)
      return 'run'
    },
  })
  const asker = askerOf({ ask: page.ask })
  const stop = new AbortController()
  const ask = async (request: Request & Record<string, unknown>) => {
    // The page reads no other fields of a request.
    const whole = { digest: `digest of ${request.id}`, ...request } as unknown as ApprovalRequest
    const answering: Promise<unknown> = asker.ask(whole, { signal: stop.signal })
    answering.catch(() => {})
    // Until it waits for its answer, or is decided.
    for (let count = 0; count < 100; count++) await undefined
    return { answering }
  }
  const answer = (id: string, given: GivenAnswer | 'deny') =>
    page.answer(id, `digest of ${id}`, given as never)
  return { log, remembered: connections, stop, ask, answer }
}

const network = { kind: 'network', id: '1', host: 'api.test', port: 443 }

describe('a question of a run', () => {
  it('is in the log with its answer, in the order of the queue', async () => {
    const { answer, log, ask } = questions()
    const { answering } = await ask({ kind: 'file', id: '1' })
    expect(log).toMatchObject([{ type: 'approval-requested', runId: 'run', digest: 'digest of 1' }])
    answer('1', { decision: 'deny', reason: 'No.' })
    expect(await answering).toMatchObject({ decision: 'deny' })
    expect(log.slice(1)).toMatchObject([
      { type: 'approval-answered', requestId: '1', remembered: false, answer: { reason: 'No.' } },
    ])
  })

  it('is withdrawn in the log when its run is stopped', async () => {
    const { log, stop, ask } = questions()
    const { answering } = await ask({ kind: 'file', id: '1' })
    stop.abort()
    await expect(answering).rejects.toBe(stop.signal.reason)
    expect(log.at(-1)).toEqual({ type: 'approval-withdrawn', runId: 'run', requestId: '1' })
  })

  it('gives the program a secret that the log does not have', async () => {
    const { answer, log, ask } = questions()
    const { answering } = await ask({ kind: 'input', id: '1', isSecret: true })
    answer('1', { decision: 'answer', text: 'hunter2' })
    expect(await answering).toEqual({ decision: 'answer', text: 'hunter2' })
    expect(log.at(-1)).toMatchObject({ answer: { decision: 'answer', text: '' } })
  })

  it('is denied where the log cannot be written, and its later end is no unhandled rejection', async () => {
    const append = () => {
      throw new Error('disk full')
    }
    const { stop, ask } = questions({ append })
    const { answering } = await ask({ kind: 'file', id: '1' })
    expect(await answering).toEqual({ decision: 'deny', reason: expect.stringContaining('disk full') })
    stop.abort()
  })
})

describe('a tool', () => {
  it('is asked about only if it requires that', async () => {
    const { answer, log, ask } = questions()
    const { answering: unasked } = await ask({ kind: 'tool', id: '1' })
    expect(log).toEqual([])
    expect(await unasked).toEqual({ decision: 'allow' })
    const { answering } = await ask({ kind: 'tool', id: '2', needsApproval: true })
    answer('2', 'deny')
    expect(await answering).toMatchObject({ decision: 'deny' })
  })
})

describe('a connection', () => {
  it('that the conversation allows is not asked about', async () => {
    const { log, ask } = questions({ allows: true })
    const { answering: unasked } = await ask(network)
    expect(log).toEqual([])
    expect(await unasked).toEqual({ decision: 'allow' })
  })

  it.each([
    ['once', { decision: 'allow' }, 0],
    ['for the run', { decision: 'allow', remember: 'run' }, 0],
    ['for the conversation', { decision: 'allow', remember: 'conversation' }, 1],
    ['not', { decision: 'deny', reason: 'No.' }, 0],
  ])('is allowed %s, as the page says', async (_, answer, count) => {
    const { answer: give, log, remembered, ask } = questions()
    const { answering } = await ask(network)
    give('1', answer as never)
    expect(await answering).toEqual(answer)
    expect(log.at(-1)).toMatchObject({ type: 'approval-answered', answer })
    expect(remembered).toHaveLength(count)
  })
})
