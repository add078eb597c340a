import type { ApprovalTarget, NetworkApprovalRequest } from '@fenced/core'
import { expect, it } from 'vitest'
import type { ConversationEvent, LoggedEvent } from '../event.ts'
import { RememberedAnswers } from './remembered-answers.ts'

const target: ApprovalTarget = {
  ...{ description: 'in a container', executor: 'docker', isolation: 'container', network: 'open' },
  particulars: {},
}

const connection = (id: string, host: string) => ({ id, host, port: 443 }) as NetworkApprovalRequest

/** A log, and the answers that are read from it. */
function kept(log: LoggedEvent[] = []) {
  const append = (event: ConversationEvent) =>
    void log.push({ seq: log.length + 1, createdAt: '2026-01-01T00:00:00.000Z', event })
  return { log, answers: new RememberedAnswers(log, append) }
}

it('allow a connection to the same host, port and target only', () => {
  const { answers } = kept()
  answers.addConnection(connection('1', 'api.test'), target)
  const allows = (request: { host: string; port: number }, of = target) =>
    answers.allowsConnection(request, of)
  expect(allows({ host: 'api.test', port: 443 })).toBe(true)
  expect(allows({ host: 'api.test', port: 443 }, { ...target, description: 'other words' })).toBe(true)
  expect(allows({ host: 'api.test', port: 80 })).toBe(false)
  expect(allows({ host: 'other.test', port: 443 })).toBe(false)
  expect(allows({ host: 'api.test', port: 443 }, { ...target, isolation: 'none' })).toBe(false)
})

it('hold for the next server, except those that were taken back', () => {
  const { log, answers } = kept()
  answers.addConnection(connection('1', 'one.test'), target)
  answers.addConnection(connection('2', 'two.test'), target)
  expect(answers.forget('1')).toBe(true)
  const { answers: later } = kept(log)
  expect(later.allowsConnection({ host: 'one.test', port: 443 }, target)).toBe(false)
  expect(later.allowsConnection({ host: 'two.test', port: 443 }, target)).toBe(true)
})

it('write nothing where nothing changes', () => {
  const { log, answers } = kept()
  expect(answers.forget('none')).toBe(false)
  expect(log).toEqual([])
})
