import { exitCodes } from '@fenced/core'
import type { RepairScript } from './repair-script.ts'

/** What an agent that runs code wants of its model. */
export interface RepairQuestion {
  /** What the model was told about its programs, one text for each, the newest last. */
  readonly answers: readonly string[]
  /** Whether it is to decide about a failure, and say so in JSON. */
  readonly isDecision: boolean
}

/** What the scripted model says: a program, what is to be done about one that failed, or what came of it. */
export function nextRepair(script: RepairScript, { answers, isDecision }: RepairQuestion): string {
  const last = answers.at(-1)
  const step = stepAfter(answers)
  const program = script.programs[step] ?? ''
  if (last === undefined) return program
  const isExpected = step > stepAfter(answers.slice(0, -1))
  const wasStopped = exitCodeIn(last) === exitCodes.cancelled
  if (isDecision) {
    if (isExpected) return decision(true, inOneLine(script.plans[step - 1] ?? ''))
    if (wasStopped)
      return decision(true, 'It was stopped before its end, so the same program comes once more.')
    return decision(false, wasDenied(last) ? denied : notInTheScript)
  }
  if (isAnnounced(last))
    return wasStopped ? `Once more:\n\n${program.slice(program.indexOf('```'))}` : program
  if (wasStopped) return 'The program was stopped each time, so nothing came of it.'
  return exitCodeIn(last) === 0 ? script.outcome : 'No program did what it should, so nothing came of it.'
}

const denied =
  'you did not want it to run, and I am a script that has no other program. A real model would write one (--model).'
const notInTheScript =
  'that is not what my script expects here, and I am a script that cannot find out what went wrong. A real model would (--model).'

/** The mistakes that are in the first and the second program, in any of their languages. */
const expectedErrors = [
  /\b(?:RecursionError|RangeError)\b/,
  /\b(?:ValueError: Exceeds the limit|TypeError)\b/,
]

/** Which program is to come: each that failed as it should leads to the next. */
function stepAfter(answers: readonly string[]): number {
  return answers.reduce(
    (step, answer) => (exitCodeIn(answer) !== 0 && expectedErrors[step]?.test(answer) ? step + 1 : step),
    0,
  )
}

/** How a program ended. */
function exitCodeIn(answer: string): number {
  const [, digits = '0'] = /POSIX exit code(?: was)?: (\d+)/.exec(answer) ?? []
  return wasDenied(answer) ? exitCodes.notExecutable : Number(digits)
}

function wasDenied(answer: string): boolean {
  return answer.startsWith('Code execution was not approved.')
}

/** Whether it was decided already that another program comes. */
function isAnnounced(answer: string): boolean {
  return answer.includes('Proposed correction: ')
}

function decision(retry: boolean, reason: string): string {
  return JSON.stringify({ reason, retry })
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}
