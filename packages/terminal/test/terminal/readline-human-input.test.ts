// @module-tag all

import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { play, python, type Step } from './pseudo-terminal.ts'

const question: Step = { expect: '1 answer: ' }
/** Longer than the silence that ends a paste. */
const moment: Step = { pause: 0.4 }
/** Ends that the program is busy. */
const goOn: Step = { signal: constants.signals.SIGCONT }
const env = { DEFAULT: '1' }
const answers = (facts: readonly unknown[]) => facts.slice(0, -1)

// Each has a terminal of its own, and waits for it.
describe.skipIf(python.missing)('the person of an agent by default', { concurrent: true }, () => {
  it.each<[string, Step[], string]>([
    ['Enter', [{ type: '\r' }], ''],
    ['a text', [{ type: 'héllo 😀' }, moment, { type: '\r' }], 'héllo 😀'],
    ['lines that arrive together', [{ type: 'one\r two\r\r three\r' }], 'one\n two\n\n three'],
    ['lines, the last one without an end', [{ type: 'one\rtwo' }, moment, { type: '\r' }], 'one\ntwo'],
    ['Ctrl-C', [{ type: 'yes' }, moment, { type: '\u0003' }], 'exit'],
    ['Ctrl-D', [{ type: '\u0004' }], 'exit'],
  ])('answers with %s', async (_, steps, answer) => {
    const played = await play({ program: 'ask.ts', env, steps: [question, ...steps] })
    expect(played).toMatchObject({ problem: null, restored: true, exitCode: 0 })
    expect(answers(played.facts)).toEqual([{ answer }])
  })

  it('answers nothing with text that was typed before the question', async () => {
    const { facts, problem } = await play({
      program: 'ask.ts',
      env: { ...env, QUESTIONS: '2', IS_BUSY: 'yes' },
      steps: [
        { type: 'early\r\r' },
        question,
        { type: 'first\r' },
        { expect: 'busy' },
        { type: 'approve\rand more' },
        goOn,
        { expect: '2 answer: ' },
        { type: 'second\r' },
      ],
    })
    expect(problem).toBeNull()
    expect(answers(facts)).toEqual([{ answer: 'first' }, { answer: 'second' }])
  })

  it('sees escapes in place of control characters', async () => {
    const { output } = await play({
      program: 'ask.ts',
      env: { ...env, PROMPT: 'two\nlines\u001B]0;title\u0007: ' },
      steps: [{ expect: '1 two\r\n' }, { expect: 'lines␛]0;title␇: ' }, { type: '\r' }],
    })
    expect(output).not.toContain('\u001B]0')
  })

  it('is asked one question at a time, until the signal is aborted', async () => {
    const { facts, output, restored, problem } = await play({
      program: 'ask.ts',
      env: { ...env, QUESTIONS: '3' },
      steps: [
        question,
        { type: 'first\r' },
        { expect: '2 answer: ' },
        moment,
        { signal: constants.signals.SIGUSR2 },
      ],
    })
    const aborted = { error: 'changed my mind' }
    expect([problem, restored, answers(facts)]).toEqual([null, true, [{ answer: 'first' }, aborted, aborted]])
    expect(output).not.toContain('3 answer: ')
  })

  it('answers `exit` when the terminal goes away', async () => {
    const { exitCode, problem } = await play({
      program: 'ask.ts',
      env: { ...env, QUESTIONS: '2' },
      steps: [question, moment, { hangUp: true }],
    })
    // 13 would be the exit code of a process whose questions were never answered.
    expect([problem, exitCode]).toEqual([null, 0])
  })
})
