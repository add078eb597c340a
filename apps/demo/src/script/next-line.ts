import { exitCodes } from '@fenced/core'
import { type Part, type Scene, scenes } from './part.ts'

/**
 * What the scripted model says to what it was answered, the newest last. It goes on when a program has done what the part
 * wants of it, and is honest about everything else.
 */
export function nextLine(part: Part, answers: readonly string[]): string {
  const last = answers.at(-1)
  const before = sceneAfter(answers.slice(0, -1))
  const scene = sceneAfter(answers)
  if (last === undefined || scene !== before) return part[scene]
  const exitCode = exitCodeIn(last)
  const program = programIn(part[scene])
  if (exitCode === undefined)
    return program === '' ? `${notUnderstood}\n\nTERMINATE` : `${notUnderstood} ${onceMore}\n\n${program}`
  if (exitCode === exitCodes.cancelled)
    return `The program was stopped before its end. ${onceMore}\n\n${program}`
  return `${exitCode === exitCodes.notExecutable ? notRun : notInThePart}\n\nTERMINATE`
}

const notUnderstood =
  'I am a script and cannot understand what you say: I can only play my part. A real model would answer you (`--model`).'
const onceMore = 'Here is my program once more:'
const notRun =
  'My program was not to be run, or could not be, and as a script I have no other. So nothing came of it.'
const notInThePart =
  'That is not what my part expects here, and I am a script: I cannot find out what went wrong. A real model would read this and try again (`--model`).'

/** The mistake that is in the first program. */
const expectedError = /\b(?:IndexError|TypeError)\b/

function sceneAfter(answers: readonly string[]): Scene {
  return answers.reduce<Scene>((scene, answer) => {
    const exitCode = exitCodeIn(answer)
    const goesOn = scene === 'attempt' ? exitCode === 1 && expectedError.test(answer) : exitCode === 0
    return goesOn ? (scenes[scenes.indexOf(scene) + 1] ?? scene) : scene
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
