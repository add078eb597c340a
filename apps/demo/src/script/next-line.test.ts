import { describe, expect, it } from 'vitest'
import { nextLine } from './next-line.ts'

const script = {
  attempt: 'I try.\n\n```python\n1\n```',
  repair: 'I repair.\n\n```python\n2\n```',
  check: 'I check.\n\n```python\n3\n```',
  outcome: 'It is done.\n\nTERMINATE',
}
const broken = 'exitcode: 1 (execution failed)\nCode output: \nIndexError: list index out of range'
const fine = 'exitcode: 0 (execution succeeded)\nCode output: \n'
const stopped = 'exitcode: 125 (execution failed)\nCode output: \n'

describe('the scripted model', () => {
  it.each<[string, string[], string]>([
    ['begins with the program that fails', [], script.attempt],
    ['repairs it when it has read the error', [broken], script.repair],
    ['checks what the repaired one has made', [broken, fine], script.check],
    ['says the outcome when that is right', [broken, fine, fine], script.outcome],
    ['goes on where it was after a remark of a person', [broken, 'Well done!', fine], script.check],
    ['goes on where it was after a program was stopped', [stopped, broken, stopped, fine], script.check],
  ])('%s', (_, answers, line) => {
    expect(nextLine(script, answers)).toBe(line)
  })

  it.each<[string, string[], string]>([
    ['a person', [broken, 'Why?'], 'I am a script'],
    ['a stop', [broken, stopped], 'was stopped before its end'],
  ])('sends its program once more after %s', (_, answers, words) => {
    const line = nextLine(script, answers)
    expect(line).toContain(words)
    expect(line).toContain('```python\n2\n```')
    expect(line).not.toContain('TERMINATE')
  })

  it.each<[string, string[]]>([
    ['another error', ['exitcode: 1 (execution failed)\nCode output: \nMemoryError']],
    ['a repaired program that fails as well', [broken, broken]],
    ['a person after the end', [broken, fine, fine, 'And now?']],
  ])('has nothing to say to %s, and ends', (_, answers) => {
    const line = nextLine(script, answers)
    expect(line).toContain('I am a script')
    expect(line).toMatch(/\n\nTERMINATE$/)
    expect(line).not.toContain('```')
  })
})
