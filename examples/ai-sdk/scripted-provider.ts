// What the examples' tests load first (`node --import`): a model that has its answers ready, in the place of the gateway.
import type { LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

/** What the model does about a prompt: it calls the only tool there is, or answers. */
const inputs: ReadonlyArray<readonly [prompt: RegExp, input: object]> = [
  [/digits/, { code: 'print(len(str(2 ** 1000)))' }],
  [/slowly/, { code: 'import time\nfor n in (1, 2, 3):\n    print(n)\n    time.sleep(0.3)' }],
  [/files/, { code: 'import os\nprint(len([name for name in os.listdir() if name.endswith(".txt")]))' }],
  [/Save/, { code: 'open("number.txt", "w").write("42")\nprint("saved")' }],
  [/Read/, { code: 'print(open("number.txt").read())' }],
  [
    /sine/,
    { code: 'import math, matplotlib.pyplot as plt\nplt.plot([math.sin(x / 10) for x in range(63)])' },
  ],
  [
    /shop/,
    {
      code: 'import tools\nsold = [sum(each["pieces"] for each in tools.sales(month)) for month in range(1, 13)]\nprint(1 + sold.index(max(sold)))',
    },
  ],
  [/squares/, { code: 'squares = [n * n for n in range(1, 6)]\nprint(squares)' }],
  [/their sum/, { code: 'print(sum(squares))' }],
  [/words/, { text: 'one two three' }],
]
const answer = '~~~python\nprint([n * n for n in range(1, 6)])\n~~~\n\nIt takes each number times itself.\n'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

function contentOf(prompt: LanguageModelV4Prompt, toolName: string | undefined): LanguageModelV4Content {
  const last = prompt.at(-1)
  if (last?.role === 'tool') {
    const [part] = last.content
    if (part?.type !== 'tool-result') throw new Error('The last message holds no result of a tool.')
    const { output } = part
    if (output.type === 'execution-denied') return { type: 'text', text: 'Then I cannot tell.' }
    if (output.type !== 'content') return { type: 'text', text: `The program says: ${Object(output).value}` }
    const kinds = output.value.map((each) => ('mediaType' in each ? each.mediaType : each.type))
    return { type: 'text', text: `I see: ${kinds.join(' and ')}` }
  }
  if (toolName === undefined) return { type: 'text', text: answer }
  const asked = JSON.stringify(last)
  const [, input] = inputs.find(([about]) => about.test(asked)) ?? []
  if (input === undefined) throw new Error(`The model knows nothing about ${asked}.`)
  return { type: 'tool-call', toolCallId: `call-${prompt.length}`, toolName, input: JSON.stringify(input) }
}

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt, tools = [] }) => {
    const content = contentOf(prompt, tools[0]?.name)
    const unified = content.type === 'tool-call' ? 'tool-calls' : 'stop'
    return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] }
  },
  doStream: async ({ prompt, tools = [] }) => {
    const content = contentOf(prompt, tools[0]?.name)
    const pieces = content.type === 'text' ? (content.text.match(/[\s\S]{1,5}/g) ?? []) : []
    const unified = content.type === 'tool-call' ? 'tool-calls' : 'stop'
    return {
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          ...(content.type === 'text' ? [{ type: 'text-start' as const, id: 't' }] : []),
          ...pieces.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
          ...(content.type === 'text' ? [{ type: 'text-end' as const, id: 't' }] : []),
          ...(content.type === 'tool-call' ? [content] : []),
          { type: 'finish' as const, finishReason: { unified, raw: undefined } as const, usage },
        ],
      }),
    }
  },
})

Object.assign(globalThis, {
  AI_SDK_DEFAULT_PROVIDER: { specificationVersion: 'v4', languageModel: () => model },
})
