import { nextLine } from './next-line.ts'
import { nextRepair } from './next-repair.ts'
import { readPart } from './part.ts'
import { readRepairPart } from './repair-part.ts'
import type { Play } from './scripted-model.ts'

/** A conversation between two agents. */
export const playConversation: Play = async (version) => {
  const part = await readPart(version)
  return ({ told: [, ...answers] }) => nextLine(part, answers)
}

/** An agent that mends its own programs. Its model is to decide where it is given a schema for that. */
export const playRepair: Play = async (version) => {
  const part = await readRepairPart(version)
  return ({ instructions, told: [, ...answers] }) =>
    nextRepair(part, { answers, isDecision: instructions.includes('"retry"') })
}
