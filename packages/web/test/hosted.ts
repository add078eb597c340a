import { AssistantAgent, CodeExecutorAgent, RoundRobinGroupChat, UserProxyAgent } from '@fenced/agents'
import { StopMessageTermination } from '@fenced/agents/termination'
import { type ScriptedAnswer, ScriptedModel } from '@fenced/agents/testing'
import { tool } from 'ai'
import { z } from 'zod'
import type { WebAgent } from '../src/index.ts'
import { program } from './served.ts'

/** Says how often it has run, in a file that stays. */
const counting = program('open("ran", "a").write("x")\nprint("It ran.", flush=True)')

type Prompt = ScriptedModel['prompts'][number]

/** Answers depend on the prompt only, so a model in another process continues. */
export function pageModel(): ScriptedModel {
  return new ScriptedModel((_, prompt) => (hasResult(prompt) ? 'I have read it.' : counting))
}

function hasResult(prompt: Prompt): boolean {
  return prompt.some(({ role, content }) => role === 'user' && JSON.stringify(content).includes('It ran.'))
}

function coderAnswer(_: number, prompt: Prompt): ScriptedAnswer {
  const text = JSON.stringify(prompt)
  if (text.includes('Well done.')) return 'That is all.\n\nTERMINATE'
  if (text.includes('a wooden fence')) return counting
  return { text: 'I look it up.', toolCalls: [{ name: 'lookup', input: { word: 'fence' } }] }
}

const lookup = tool({
  description: 'Looks a word up.',
  inputSchema: z.object({ word: z.string() }),
  needsApproval: true,
  execute: ({ word }) => `a wooden ${word}`,
})

/** A team that calls a tool, runs a program, and lets a person speak. */
export const team: WebAgent = ({ executor, ask, ledger }) =>
  new RoundRobinGroupChat({
    participants: [
      new AssistantAgent({
        ...{ name: 'coder', ask, ledger },
        model: new ScriptedModel(coderAnswer),
        tools: { lookup },
      }),
      new CodeExecutorAgent({ name: 'runner', executor, ask, ledger }),
      new UserProxyAgent({ name: 'boss', humanInputMode: 'always', ask, ledger }),
    ],
    terminationCondition: new StopMessageTermination(),
  })
