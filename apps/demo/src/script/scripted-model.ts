import { ScriptedModel } from '@fenced/agents/testing'
import type { CodeExecutor } from '@fenced/core'
import type { ChosenModel } from '../model/choose-model.ts'
import { chooseVersion } from './choose-version.ts'
import type { Version } from './script.ts'

/** How long somebody who is watched takes for a word, in milliseconds. */
const wordDelayMs = 6

/** Reads a script in a version, and returns what the model says to what it is given. */
export type StartScript = (version: Version) => Promise<(heard: Heard) => string>

/** What a model is given. */
interface Heard {
  readonly instructions: string
  /** What it was told: first the task, then what came of what it has said. */
  readonly told: readonly string[]
}

/** The model that follows a script, in the version that an executor can run. */
export async function chooseScriptedModel(
  executor: CodeExecutor,
  { startScript, isWatched, signal }: { startScript: StartScript; isWatched: boolean; signal: AbortSignal },
): Promise<ChosenModel> {
  const { version, remark } = await chooseVersion(executor, signal)
  const react = await startScript(version)
  const model = new ScriptedModel((_, prompt) => react(heardIn(prompt)), {
    wordDelayMs: isWatched ? wordDelayMs : 0,
  })
  return { model, words, ...(remark === undefined ? {} : { remark }) }
}

const words =
  'scripted: its words were written in advance, and nothing goes over a network. The code really runs.'

type Message = ScriptedModel['prompts'][number][number]

function heardIn(prompt: readonly Message[]): Heard {
  const textsOf = (role: Message['role']) => prompt.filter((message) => message.role === role).map(textOf)
  return { instructions: textsOf('system').join('\n\n'), told: textsOf('user') }
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
}
