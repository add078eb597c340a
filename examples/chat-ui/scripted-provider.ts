// What the tests load first (`node --import`): a model that has its answers ready, in the place of the gateway.
import { type ScriptedAnswer, ScriptedModel } from '@fenced/agents/testing'

type Prompt = ScriptedModel['prompts'][number]

const program = (code: string) => `I try this.\n\n~~~python\n${code}\n~~~`
const call = (code: string): ScriptedAnswer => ({ toolCalls: [{ name: 'execute_code', input: { code } }] })

/** What the model says to the last message. */
const answers: ReadonlyArray<readonly [about: RegExp, answer: ScriptedAnswer]> = [
  [/primes/, program('print(sum(all(n % k for k in range(2, n)) for n in range(2, 1000)))')],
  [/wait/, program('import time\nprint("begun", flush=True)\ntime.sleep(600)')],
  [/168/, 'There are 168.\n\nTERMINATE'],
  [/not approved|denied/i, 'Then I cannot tell.\n\nTERMINATE'],
  [/digits/, call('print(len(str(2 ** 1000)))')],
  [/302/, 'It has 302 digits.'],
]

function answerTo(prompt: Prompt): ScriptedAnswer {
  const last = JSON.stringify(prompt.at(-1))
  const [, answer] = answers.find(([about]) => about.test(last)) ?? []
  if (answer === undefined) throw new Error(`The model knows nothing about ${last}.`)
  return answer
}

Object.assign(globalThis, {
  AI_SDK_DEFAULT_PROVIDER: {
    specificationVersion: 'v4',
    languageModel: () => new ScriptedModel((_, prompt) => answerTo(prompt)),
  },
})
