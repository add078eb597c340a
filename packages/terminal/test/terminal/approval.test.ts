// @module-tag all

import { describe, expect, it } from 'vitest'
import { play, python, type Step } from './pseudo-terminal.ts'

const choices: Step = { expect: '[n]o, or n and a reason: ' }
const denied = (reason: string) => ({ decision: 'deny', reason })

/** The lines that are seen: without what sets the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
const seen = (output: string) => output.replace(/\u001B\[[?\d;]*[A-Za-z]/g, '').split(/\r*\n|\r/)

async function decide(code: string, steps: readonly Step[], env: Record<string, string> = {}) {
  const played = await play({ program: 'approve.ts', steps, env: { CODE: code, ...env }, columns: 120 })
  expect(played.problem).toBeNull()
  expect(played.restored).toBe(true)
  return played
}

describe.skipIf(python.missing)('a person at a terminal who is asked whether code may be run', () => {
  it('sees the program line by line', async () => {
    const code = 'for number in range(3):\n    print(number)\n\nprint("done")'
    const { output, facts } = await decide(code, [choices, { type: 'y\r' }])
    const lines = seen(output)
    const begin = lines.indexOf('python:')
    expect(lines[begin - 2]).toBe(
      'coder wants to run this, on this machine, not isolated, without network (echo):',
    )
    expect(lines.slice(begin, begin + 7)).toEqual([
      'python:',
      '  | for number in range(3):',
      '  |     print(number)',
      '  | ',
      '  | print("done")',
      '',
      expect.stringMatching(/^Run it\? /),
    ])
    expect(facts).toMatchObject([{ by: 'person', decision: 'allow' }])
  })

  it('is not shown other code than what would run', async () => {
    const code = 'rm -r x\rprint(1)\u001B[2K\u202Eoh'
    const { output } = await decide(code, [choices, { type: 'n\r' }])
    expect(output).toContain('rm -r x\u240D')
    expect(output).toContain('print(1)\u241B[2K[U+202E]oh')
    expect(output).not.toContain('\u001B[2K')
    expect(output).not.toContain('\u202E')
  })

  it.each<[string, Step[], object]>([
    ['y', [choices, { type: 'yes \r' }], { decision: 'allow' }],
    ['c', [choices, { type: 'c\r' }], { decision: 'allow', remember: 'code' }],
    ['a reason', [choices, { type: 'n not like this\r' }], denied('not like this')],
    ['Ctrl-C', [choices, { type: '\u0003' }], denied('The person did not want it to run.')],
    ['"ok" first', [choices, { type: 'ok\r' }, choices, { type: 'y\r' }], { decision: 'allow' }],
    ['Enter first', [choices, { type: '\r' }, choices, { type: 'y\r' }], { decision: 'allow' }],
  ])('answers with %s', async (_, steps, expected) => {
    expect((await decide('print(1)', steps)).facts).toMatchObject([expected])
  })

  it('is waited for no longer than until the answer', async () => {
    const { facts } = await decide('print(1)', [choices, { type: 'y\r' }], { TIMEOUT_MS: '600000' })
    expect(facts).toMatchObject([{ decision: 'allow' }])
  })

  it('has not answered when the time is over', async () => {
    const { facts } = await decide('print(1)', [choices], { TIMEOUT_MS: '1000' })
    expect(facts).toEqual([{ error: 'No answer came within 1000 ms.' }])
  })
})
