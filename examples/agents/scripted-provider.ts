// What the examples' tests load first (`node --import`): a model that has its answers ready, in the place of the gateway.
import { type ScriptedAnswer, ScriptedModel } from '@fenced/agents/testing'

type Prompt = ScriptedModel['prompts'][number]

const program = (...lines: readonly string[]) => ['I try this.', '', '~~~python', ...lines, '~~~'].join('\n')

/** What the model says to a text. */
const answers: ReadonlyArray<readonly [about: RegExp, answer: ScriptedAnswer]> = [
  [/Code output: \n([\s\S]*)/, 'The program says: $1\nTERMINATE'],
  [/(\S+)\s*State the outcome/, 'So it is $1.'],
  [/Decide whether another program/, '{"reason": "The poem has to be written first.", "retry": true}'],
  [/unknown, 7/, program('prices = [5, None, 7]', 'print(len(prices))')],
  [/their mean/, program('prices = [price or 0 for price in prices]', 'print(sum(prices) / len(prices))')],
  [
    /Leave out/,
    program('known = [price for price in prices if price is not None]', 'print(sum(known) / len(known))'),
  ],
  [/primes/, program('print(sum(all(n % k for k in range(2, n)) for n in range(2, 1000)))')],
  [/files are in/, program('import os', 'print(len(os.listdir("/proc/self/task")))')],
  [
    /Attempt number: 1/,
    program('open("poem.txt", "w").write("a\\nb\\nc\\n")', 'print(open("poem.txt").readlines()[2])'),
  ],
  [/third line/, program('print(open("poem.txt").readlines()[2])')],
  [/weekday/, program('import datetime', 'print(datetime.date(2000, 1, 1).strftime("%A"))')],
  [/humanize/, program('import humanize', 'print(humanize.intword(10 ** 9))')],
  [
    /Draw the sine/,
    program('import math, matplotlib.pyplot as plt', 'plt.plot([math.sin(x / 10) for x in range(63)])'),
  ],
  [/sum of the digits/, { toolCalls: [{ name: 'coder', input: { task: 'Sum up the digits.' } }] }],
  [/Sum up the digits/, program('print(sum(map(int, str(2 ** 1000))))')],
  [/what is missing/, { toolCalls: [{ name: 'stock', input: {} }] }],
  [/"milk":0/, { toolCalls: [{ name: 'order', input: { thing: 'milk', pieces: 2 } }] }],
  [/ of milk ordered/, 'I have ordered milk.'],
]

function answerTo(prompt: Prompt): ScriptedAnswer {
  const last = textOf(prompt.at(-1))
  if (/wrong with the answer/.test(textOf(prompt[0]))) return 'Nothing is wrong. APPROVED'
  if (/^image\/png$/m.test(last)) return 'It is a sine: I see it.'
  for (const [about, answer] of answers) {
    const found = about.exec(last)
    if (found !== null)
      return typeof answer === 'string' ? answer.replace('$1', (found[1] ?? '').trim()) : answer
  }
  // The answer of a tool.
  return last
}

function textOf(message: Prompt[number] | undefined): string {
  if (message === undefined) return ''
  if (typeof message.content === 'string') return message.content
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'tool-result') return String(Object(part.output).value)
      return part.type === 'file' ? part.mediaType : ''
    })
    .join('\n')
}

Object.assign(globalThis, {
  AI_SDK_DEFAULT_PROVIDER: {
    specificationVersion: 'v4',
    languageModel: () => new ScriptedModel((_, prompt) => answerTo(prompt)),
  },
})
