import { describe, expect, it } from 'vitest'
import { nextLine, outcome, task } from '../src/scripted-model.ts'

const broken = 'exitcode: 1 (execution failed)\nCode output: \nIndexError: list index out of range'
const fine = 'exitcode: 0 (execution succeeded)\nCode output: \n'
const stopped = 'exitcode: 125 (execution failed)\nCode output: \n'

const [attempt, repair, check] = [[], [broken], [broken, fine]].map((answers) => nextLine([task, ...answers]))

describe('the scripted model', () => {
  it('writes a program with a mistake, its repair, a check, and the outcome', () => {
    expect(attempt).toContain('round(height *')
    expect(repair).toContain('round((height - 1) *')
    expect(check).toContain('small version')
    expect(nextLine([task, broken, fine, fine])).toBe(outcome)
  })

  it('reads the outputs of an agent, which have no exit code if all went well', () => {
    const failed =
      'The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\nIndexError: x'
    const outputs = [
      failed,
      '6,171 takes 261 steps.\nIts path is in collatz.png.\n',
      '262 by 240 pixels, small version:\n#',
    ]
    expect(nextLine([task, failed])).toBe(repair)
    expect(nextLine([task, ...outputs])).toBe(outcome)
    expect(nextLine([task, failed, failed])).toMatch(/^My script ends here/)
  })

  it('continues where it was after the words of a person', () => {
    expect(nextLine([task, broken, 'Well done!', fine])).toBe(check)
  })

  it('repeats its program for a person whom it cannot understand', () => {
    const line = nextLine([task, broken, 'Why?'])
    expect(line).toContain('I am a script')
    expect(line).toContain('round((height - 1) *')
  })

  it.each([
    ['another error', ['exitcode: 1 (execution failed)\nCode output: \nMemoryError']],
    ['a repaired program that fails as well', [broken, broken]],
    ['a program that was stopped', [broken, stopped]],
    ['a person after the end', [broken, fine, fine, 'And now?']],
  ])('does not know %s, and ends', (_, answers) => {
    const line = nextLine([task, ...answers])
    expect(line).toMatch(/^My script ends here.*\n\nTERMINATE$/s)
    expect(line).not.toContain('```python')
  })

  it('knows its task in one line, as the page sends it', () => {
    expect(nextLine([task.replaceAll('\n', ' ')])).toBe(attempt)
  })

  it('says that it knows one task only, if it is asked another question', () => {
    expect(nextLine(['Which files are the largest?'])).toMatch(/^I am a script and know only one task/)
  })
})
