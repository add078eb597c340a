import { exitCodes } from '@fenced/core'
import { type Script, type Step, steps } from './script.ts'

/**
 * What the scripted model says to what it was answered, the newest last. It goes on when a program has done what the script
 * wants of it, and is honest about everything else.
 */
export function nextLine(script: Script, answers: readonly string[]): string {
  const last = answers.at(-1)
  const before = stepAfter(answers.slice(0, -1))
  const step = stepAfter(answers)
  if (last === undefined || step !== before) return script[step]
  const exitCode = exitCodeIn(last)
  const program = programIn(script[step])
  if (exitCode === undefined)
    return program === '' ? `${notUnderstood}\n\nTERMINATE` : `${notUnderstood} ${onceMore}\n\n${program}`
  if (exitCode === exitCodes.cancelled)
    return `The program was stopped before its end. ${onceMore}\n\n${program}`
  return `${exitCode === exitCodes.notExecutable ? notRun : notInTheScript}\n\nTERMINATE`
}

const notUnderstood =
  'I am a script and cannot understand what you say: I can only follow my script. A real model would answer you (`--model`).'
const onceMore = 'Here is my program once more:'
const notRun =
  'My program was not to be run, or could not be, and as a script I have no other. So nothing came of it.'
const notInTheScript =
  'That is not what my script expects here, and I am a script: I cannot find out what went wrong. A real model would read this and try again (`--model`).'

/** The mistake that is in the first program. */
const expectedError = /\b(?:IndexError|TypeError)\b/

function stepAfter(answers: readonly string[]): Step {
  return answers.reduce<Step>((step, answer) => {
    const exitCode = exitCodeIn(answer)
    const goesOn = step === 'attempt' ? exitCode === 1 && expectedError.test(answer) : exitCode === 0
    return goesOn ? (steps[steps.indexOf(step) + 1] ?? step) : step
  }, 'attempt')
}

/** How a program ended; `undefined` when a person speaks. */
function exitCodeIn(answer: string): number | undefined {
  const [, digits] = /^exitcode: (\d+) /.exec(answer) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function programIn(text: string): string {
  const start = text.indexOf('```')
  return start === -1 ? '' : text.slice(start)
}
