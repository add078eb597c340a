import { describe, expect, it } from 'vitest'
import { nextRepair } from './next-repair.ts'

const script = {
  programs: ['First:\n\n```python\n1\n```', 'Second:\n\n```python\n2\n```', 'Third:\n\n```python\n3\n```'],
  plans: ['Count\nupwards.', 'Raise the limit.'],
  outcome: 'It is done.',
}
const failed = (output: string, exitCode = 1) =>
  `The script ran, then exited with an error (POSIX exit code: ${exitCode})\nIts output was:\n${output}`
const deep = failed('RecursionError: maximum recursion depth exceeded')
const long = failed('ValueError: Exceeds the limit (4300 digits)')
const stopped = failed('Cancelled', 125)
const denied = 'Code execution was not approved. Reason: No.'
const announced = (text: string) => `${text}\n\nAttempt number: 1\nProposed correction: This.`

const answer = (answers: string[]) => nextRepair(script, { answers, isDecision: false })
const decide = (answers: string[]) => JSON.parse(nextRepair(script, { answers, isDecision: true }))

describe('the scripted model that repairs', () => {
  it('sends the program that mends the failure before it, or says what came of it', ({ everyRow }) =>
    everyRow<[string, string[], string]>(
      [
        ['begins with the first program', [], script.programs[0] ?? ''],
        ['mends what was too deep', [announced(deep)], script.programs[1] ?? ''],
        ['mends what was too long', [announced(deep), announced(long)], script.programs[2] ?? ''],
        ['says the outcome', [announced(deep), announced(long), '5,225 digits'], script.outcome],
        [
          'says it also when an older Python knows no limit',
          [announced(deep), '5,225 digits'],
          script.outcome,
        ],
        [
          'sends once more what was stopped',
          [announced(deep), announced(stopped)],
          'Once more:\n\n```python\n2\n```',
        ],
        [
          'claims nothing after another failure',
          [announced(deep), deep],
          'No program did what it should, so nothing came of it.',
        ],
        [
          'claims nothing when it was stopped',
          [stopped],
          'The program was stopped each time, so nothing came of it.',
        ],
      ],
      (_, answers, text) => {
        expect(answer(answers)).toBe(text)
      },
    ))

  it.each<[string, string[], boolean, RegExp]>([
    ['has a plan for the first', [deep], true, /^Count upwards\.$/],
    ['has a plan for the second', [announced(deep), long], true, /^Raise the limit\.$/],
    ['goes on after a stop', [stopped], true, /stopped before its end/],
    ['takes a denial for an answer', [denied], false, /did not want it to run/],
    ['gives up what is not in its script', [failed('OSError')], false, /I am a script/],
    ['gives up what comes at another time', [long], false, /I am a script/],
  ])('%s', (_, answers, retry, reason) => {
    expect(decide(answers)).toEqual({ retry, reason: expect.stringMatching(reason) })
  })
})
