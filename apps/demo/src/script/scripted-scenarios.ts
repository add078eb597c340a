import { nextLine } from './next-line.ts'
import { nextRepair } from './next-repair.ts'
import { readRepairScript } from './repair-script.ts'
import { readScript } from './script.ts'
import type { StartScript } from './scripted-model.ts'

/** A conversation between two agents. */
export const conversationScript: StartScript = async (version) => {
  const script = await readScript(version)
  return ({ told: [, ...answers] }) => nextLine(script, answers)
}

/** An agent that corrects its own programs. Its model is to decide where it is given a schema for that. */
export const repairScript: StartScript = async (version) => {
  const script = await readRepairScript(version)
  return ({ instructions, told: [, ...answers] }) =>
    nextRepair(script, { answers, isDecision: instructions.includes('"retry"') })
}
