import type { CodeExecutor } from '@fenced/core'
import { codeHash, targetOf } from '@fenced/core/internal'
import { expect, it } from 'vitest'
import type { GivenAnswer, LoggedEvent } from '../event.ts'
import { wasAllowedBefore } from './allowed-before.ts'

const executorOf = (network: boolean) =>
  ({
    name: 'local',
    capabilities: { isolation: 'none', network, isolationParticulars: {}, approvalParticulars: {} },
  }) as unknown as CodeExecutor

const executor = executorOf(false)
const block = (code: string) => ({ language: 'python', code })

/** Answers to questions about a program, one after the other. */
function logOf(code: string, ...answers: (GivenAnswer | 'withdrawn')[]): LoggedEvent[] {
  const events = answers.flatMap((answer, index) => {
    const request = {
      ...{ kind: 'code', id: `${index}`, blocks: [block(code)], codeHash: codeHash([block(code)]) },
      target: targetOf(executor),
    }
    const about = { runId: 'run', requestId: request.id }
    return [
      { type: 'approval-requested', runId: 'run', digest: '', request },
      answer === 'withdrawn'
        ? { type: 'approval-withdrawn', ...about }
        : { type: 'approval-answered', ...about, answer, remembered: false },
    ]
  })
  return events.map((event, seq) => ({ seq, createdAt: '', event }) as unknown as LoggedEvent)
}

const allow: GivenAnswer = { decision: 'allow' }
const deny: GivenAnswer = { decision: 'deny', reason: '' }
const edit: GivenAnswer = { decision: 'edit', blocks: [block('two')] }

it('programs were allowed before by the last answer about exactly these', ({ everyRow }) =>
  everyRow(
    [
      ['allowed', logOf('one', allow), 'one', true],
      ['denied', logOf('one', deny), 'one', false],
      ['denied and then allowed', logOf('one', deny, allow), 'one', true],
      ['allowed and then denied', logOf('one', allow, deny), 'one', false],
      ['another program was allowed', logOf('one', allow), 'two', false],
      ['the edit of another program', logOf('one', edit), 'two', true],
      ['edited', logOf('one', edit), 'one', false],
      ['the question was withdrawn', logOf('one', 'withdrawn'), 'one', false],
      ['allowed, and then withdrawn', logOf('one', allow, 'withdrawn'), 'one', true],
      ['never asked', [], 'one', false],
      // A run under a remembered answer has no question in the log.
      ['an answer without its question', logOf('one', allow).slice(1), 'one', false],
    ],
    (_, log, code, expected) => {
      expect(wasAllowedBefore(log, { executor, blocks: [block(code)] })).toBe(expected)
    },
  ))

it('programs were not allowed in another target', () => {
  const asked = { executor: executorOf(true), blocks: [block('one')] }
  expect(wasAllowedBefore(logOf('one', allow), asked)).toBe(false)
})
