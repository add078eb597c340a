import type { ApprovalRequest } from '@fenced/core'
import { expect, it } from 'vitest'
import type { ConversationEvent } from './event.ts'
import { WaitingQuestions } from './waiting-questions.ts'

function asked(id: string): ConversationEvent {
  return { type: 'approval-requested', runId: 'r', digest: '', request: { id } as ApprovalRequest }
}

function ended(type: 'approval-answered' | 'approval-withdrawn', requestId: string): ConversationEvent {
  if (type === 'approval-withdrawn') return { type, runId: 'r', requestId }
  return { type, runId: 'r', requestId, answer: { decision: 'allow' }, remembered: false }
}

it('a question waits until it is answered or withdrawn, in its conversation only', () => {
  const waiting = new WaitingQuestions()
  expect(waiting.take('a', asked('1'))).toBe(true)
  expect(waiting.take('a', asked('2'))).toBe(true)
  expect(waiting.take('b', asked('3'))).toBe(true)
  expect([waiting.count('a'), waiting.count('b'), waiting.count('c')]).toEqual([2, 1, 0])
  expect(waiting.take('a', ended('approval-answered', '1'))).toBe(true)
  expect(waiting.take('a', ended('approval-withdrawn', '2'))).toBe(true)
  expect([waiting.count('a'), waiting.count('b')]).toEqual([0, 1])
})

it('no question waits after the end of its turn, and a remembered answer changes nothing', () => {
  const waiting = new WaitingQuestions()
  expect(waiting.take('a', ended('approval-answered', 'never asked'))).toBe(false)
  waiting.take('a', asked('1'))
  expect(waiting.take('a', { type: 'turn-start' })).toBe(false)
  expect(waiting.take('a', { type: 'turn-end', status: 'stopped' })).toBe(true)
  expect(waiting.count('a')).toBe(0)
})
