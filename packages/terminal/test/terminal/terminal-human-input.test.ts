// @module-tag all

import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { play, python, type Step } from './pseudo-terminal.ts'

const marked = (text: string) => `\u001B[200~${text}\u001B[201~`
const question: Step = { expect: '1 answer: ' }
/** Longer than the silence that ends a paste. */
const moment: Step = { pause: 0.4 }
/** Ends that the program is busy. */
const goOn: Step = { signal: constants.signals.SIGCONT }
const noListeners = { newListeners: [] }

const rows = rowTags({
  nightly: [
    'a marked paste',
    'in two pieces',
    'last line has not ended',
    'from another system',
    'behind text',
  ],
})

// Each has a terminal of its own, and waits for it.
describe.skipIf(python.missing)('an answer', { concurrent: true }, () => {
  it.each<[string, Step[], string]>([
    ['Enter', [{ type: '\r' }], ''],
    ['a text', [{ type: 'héllo 😀' }, moment, { type: '\r' }], 'héllo 😀'],
    ['a text that comes with its Enter', [{ type: ' do it \r' }], ' do it '],
    [
      'a text that was edited',
      [{ type: 'abd' }, { type: '\u001B[D' }, { type: 'c\u007F' }, { type: 'c\r' }],
      'abcd',
    ],
    [
      'a character in two pieces',
      [{ bytes: 'f09f' }, moment, { bytes: '9880' }, moment, { type: '\r' }],
      '😀',
    ],
    [
      'a marked paste',
      [{ type: marked('one\r\ttwo\r\r three') }, moment, { type: '\r' }],
      'one\n\ttwo\n\n three',
    ],
    [
      'a marked paste that ends with a line break',
      [{ type: marked('exit\n') }, moment, { type: '\r' }],
      'exit',
    ],
    [
      'a marked paste in typed text',
      [{ type: 'a ' }, { type: marked('b\nc') }, moment, { type: ' d\r' }],
      'a b\nc d',
    ],
    [
      'a marked paste whose marks come in pieces',
      [
        { type: '\u001B[20' },
        moment,
        { type: '0~a\rb\u001B[2' },
        moment,
        { type: '01~' },
        moment,
        { type: '\r' },
      ],
      'a\nb',
    ],
    [
      'a marked paste without its control characters',
      [{ type: marked('\u001B[2J\u0003\ta\u007F') }, moment, { type: '\r' }],
      '[2J\ta',
    ],
    ['a paste that is not marked', [{ type: 'one\r\ttwo\r\r three\r' }], 'one\n\ttwo\n\n three'],
    ['one whose last line has not ended', [{ type: 'one\rtwo' }, moment, { type: '\r' }], 'one\ntwo'],
    ['one from another system', [{ type: 'one\r\ntwo\r\n' }], 'one\ntwo'],
    ['two Enters at once', [{ type: '\r\r' }], ''],
    ['Ctrl-C', [{ type: '\u0003' }], 'exit'],
    ['Ctrl-C behind text', [{ type: 'yes' }, moment, { type: '\u0003' }], 'exit'],
    ['Ctrl-D', [{ type: '\u0004' }], 'exit'],
    [
      'Ctrl-D behind text, where it ends nothing',
      [{ type: 'yes' }, { type: '\u0004' }, moment, { type: '\r' }],
      'yes',
    ],
  ])('is %s', rows, async (_, steps, answer) => {
    const { facts, exitCode, restored, problem, output } = await play({
      program: 'ask.ts',
      steps: [question, ...steps],
    })
    expect(problem).toBeNull()
    expect(facts).toEqual([{ answer }, noListeners])
    expect(restored).toBe(true)
    expect(output.lastIndexOf('\u001B[?2004l')).toBeGreaterThan(output.lastIndexOf('\u001B[?2004h'))
    expect(exitCode).toBe(0)
  })

  it.each([
    ['a typed line', 'ä'.repeat(40_000), (text: string) => `${text}\r`],
    ['a pasted line', 'ä'.repeat(200_000), (text: string) => `${marked(text)}\r`],
    ['pasted lines', 'a line like others\n'.repeat(5_000).trimEnd(), (text: string) => `${marked(text)}\r`],
  ])('may be long: %s', { tags: 'nightly' }, async (_, text, typed) => {
    const { facts, problem } = await play({ program: 'ask.ts', steps: [question, { type: typed(text) }] })
    expect(problem).toBeNull()
    expect(facts).toEqual([{ answer: text }, noListeners])
  })

  it('is typed at a terminal 40 columns wide', async () => {
    const steps: Step[] = [
      { expect: 'answer: ' },
      { type: 'fifty characters of an answer that has to be wrapped' },
    ]
    const { facts } = await play({
      program: 'ask.ts',
      columns: 40,
      env: { PROMPT: 'A question that is longer than the terminal is wide. answer: ' },
      steps: [...steps, moment, { type: '!\r' }],
    })
    expect(facts[0]).toEqual({ answer: 'fifty characters of an answer that has to be wrapped!' })
  })

  it('is typed at a terminal that knows no sequences', { tags: 'nightly' }, async () => {
    const { facts, output } = await play({
      program: 'ask.ts',
      env: { TERM: 'dumb' },
      steps: [question, { type: 'one\rtwo\r' }],
    })
    expect(facts[0]).toEqual({ answer: 'one\ntwo' })
    expect(output).not.toContain('\u001B')
  })
})

describe.skipIf(python.missing)('a question', () => {
  it('is not answered by what was typed before it was shown', async () => {
    const { facts, problem } = await play({
      program: 'ask.ts',
      env: { QUESTIONS: '2', IS_BUSY: 'yes' },
      steps: [
        { type: 'early\r\r' },
        { expect: '1 answer: ' },
        { type: 'first' },
        moment,
        { type: '\r' },
        { expect: 'busy' },
        { type: 'approve\rand more' },
        goOn,
        { expect: '2 answer: ' },
        { type: 'second\r' },
      ],
    })
    expect(problem).toBeNull()
    expect(facts).toEqual([{ answer: 'first' }, { answer: 'second' }, noListeners])
  })

  it('waits for the one before, and goes with all others when the signal is aborted', async () => {
    const { facts, output, restored, problem } = await play({
      program: 'ask.ts',
      env: { QUESTIONS: '3' },
      steps: [
        { expect: '1 answer: ' },
        { type: 'first' },
        moment,
        { type: '\r' },
        { expect: '2 answer: ' },
        { type: 'half' },
        moment,
        { signal: constants.signals.SIGUSR2 },
      ],
    })
    expect(problem).toBeNull()
    const aborted = { error: 'changed my mind' }
    expect(facts).toEqual([{ answer: 'first' }, aborted, aborted, noListeners])
    expect(output).not.toContain('3 answer: ')
    expect(output).toContain('half\r\r\n')
    expect(restored).toBe(true)
  })

  it('cannot play with the terminal', async () => {
    const { output } = await play({
      program: 'ask.ts',
      env: { PROMPT: 'two\nlines\u001B]0;title\u0007: ' },
      steps: [{ expect: '1 two\r\n' }, { expect: 'lines␛]0;title␇: ' }, { type: '\r' }],
    })
    expect(output).not.toContain('\u001B]0')
  })

  it('leaves Ctrl-C to the process when nobody is asked', async () => {
    const { facts, problem } = await play({
      program: 'ask.ts',
      env: { QUESTIONS: '2', IS_BUSY: 'yes' },
      steps: [
        { expect: '1 answer: ' },
        { type: '\r' },
        { expect: 'busy' },
        { type: '\u0003' },
        { expect: 'signal' },
        goOn,
        { expect: '2 answer: ' },
        { type: '\u0003' },
      ],
    })
    expect(problem).toBeNull()
    expect(facts).toEqual([{ answer: '' }, { answer: 'exit' }, noListeners])
  })

  it('ends when the terminal goes away', async () => {
    const { exitCode, problem } = await play({
      program: 'ask.ts',
      env: { QUESTIONS: '2' },
      steps: [question, moment, { hangUp: true }],
    })
    expect(problem).toBeNull()
    // 13 would be that of a process whose questions were never answered.
    expect(exitCode).toBe(0)
  })

  it('gives the terminal back when the process exits meanwhile', async () => {
    const { exitCode, output, restored } = await play({
      program: 'ask.ts',
      env: { ON_SIGNAL: 'exit' },
      steps: [question, { signal: constants.signals.SIGUSR2 }],
    })
    expect(output.endsWith('\u001B[?2004l')).toBe(true)
    expect([exitCode, restored]).toEqual([3, true])
  })

  it('is refused at once where there is no terminal', () => {
    const program = new URL('programs/ask.ts', import.meta.url).pathname
    const { stdout, status } = spawnSync(process.execPath, ['--conditions=@fenced/source', program], {
      input: 'yes\n',
      encoding: 'utf8',
    })
    expect(stdout).toContain('<{"error":"HUMAN_INPUT_UNAVAILABLE"}>')
    expect(status).toBe(0)
  })
})
