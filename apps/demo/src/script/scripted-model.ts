import { ScriptedModel } from '@fenced/agents/testing'
import type { CodeExecutor } from '@fenced/core'
import type { ChosenModel } from '../model/choose-model.ts'
import { chooseVersion } from './choose-version.ts'
import { nextLine } from './next-line.ts'
import { type Part, readPart } from './part.ts'

/** How long somebody who is watched takes for a word, in milliseconds. */
const wordDelayMs = 6

/** The model that plays a part, in the version that a place can run. */
export async function chooseScriptedModel(
  executor: CodeExecutor,
  { isWatched, signal }: { readonly isWatched: boolean; readonly signal: AbortSignal },
): Promise<ChosenModel> {
  const { version, remark } = await chooseVersion(executor, signal)
  const model = playing(await readPart(version), isWatched ? wordDelayMs : 0)
  return { model, words, ...(remark === undefined ? {} : { remark }) }
}

const words =
  'scripted: its words were written in advance, and nothing goes over a network. The code really runs.'

/** The first thing that it is told is the task; all others are answers to what it has said. */
function playing(part: Part, delayMs: number): ScriptedModel {
  return new ScriptedModel(
    (_, prompt) => {
      const [, ...answers] = prompt.filter(({ role }) => role === 'user').map(textOf)
      return nextLine(part, answers)
    },
    { wordDelayMs: delayMs },
  )
}

type Message = ScriptedModel['prompts'][number][number]

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
}
