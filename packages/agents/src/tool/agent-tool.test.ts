import { z } from '@fenced/core/zod'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { codeOf, speaker } from '../agent/agents.fixture.ts'
import type { AgentTool, ToolModelOutput } from './agent-tool.ts'

const inputSchema = z.object({ a: z.number(), b: z.number().default(1) })
type Input = z.output<typeof inputSchema>

function agentWith<Output>(
  execute: AgentTool<Input, Output>['execute'],
  rest: Partial<AgentTool<Input, Output>> = {},
) {
  const agent = speaker('agent')
  agent.registerForExecution({ name: 'add', inputSchema, execute, ...rest })
  return agent
}

const call = (input: unknown) => ({ id: '7', name: 'add', input })
const answered = (content: string, isError?: boolean) => ({
  toolCallId: '7',
  name: 'add',
  content,
  ...(isError === undefined ? {} : { isError }),
})

describe('a tool', () => {
  it('is called with what its schema makes of the arguments', async () => {
    const seen: unknown[] = []
    const agent = agentWith((input) => {
      seen.push(input)
      return input.a + input.b
    })
    expect(await agent.executeTool(call({ a: 1 }))).toEqual(answered('2'))
    expect(seen).toEqual([{ a: 1, b: 1 }])
  })

  it('gets the id of the call and the signal', async () => {
    const { signal } = new AbortController()
    const agent = agentWith((_, options) => `${options.toolCallId} ${options.abortSignal === signal}`)
    expect(await agent.executeTool(call({ a: 1 }), { signal })).toEqual(answered('7 true'))
  })

  it.each<[string, () => unknown, string]>([
    ['a text as it is', () => 'näh', 'näh'],
    ['an empty text as it is', () => '', ''],
    ['an object as JSON', () => ({ a: ['ü'] }), '{"a":["ü"]}'],
    ['a number as JSON', () => 4, '4'],
    ['null as JSON', () => null, 'null'],
    ['nothing as an empty text', () => undefined, ''],
    ['a promise when it is fulfilled', async () => ({ a: 1 }), '{"a":1}'],
  ])('answers %s', async (_, execute, content) => {
    expect(await agentWith(execute).executeTool(call({ a: 1 }))).toEqual(answered(content))
  })

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('out of order')
      },
      'Error: out of order',
    ],
    ['rejects', () => Promise.reject(new Error('out of order')), 'Error: out of order'],
    ['throws something else', () => Promise.reject('bad'), 'Error: bad'],
    [
      'ends in the middle',
      async function* () {
        yield 1
        throw new Error('out of order')
      },
      'Error: out of order',
    ],
  ])('that %s has answered with an error', async (_, execute, content) => {
    expect(await agentWith(execute).executeTool(call({ a: 1 }))).toEqual(answered(content, true))
  })

  it('whose output cannot be written down has answered with an error', async () => {
    const circle: Record<string, unknown> = {}
    circle.itself = circle
    expect(await agentWith(() => circle).executeTool(call({ a: 1 }))).toMatchObject({ isError: true })
    expect(await agentWith(() => 1n).executeTool(call({ a: 1 }))).toMatchObject({ isError: true })
  })

  it.each<[string, unknown]>([
    ['a wrong type', { a: '1' }],
    ['a missing one', {}],
    ['no object', 'a'],
    ['nothing', undefined],
  ])('is not called with wrong arguments: %s', async (_, input) => {
    let calls = 0
    const agent = agentWith(() => ++calls)
    const response = await agent.executeTool(call(input))
    expect(response).toMatchObject({
      isError: true,
      content: expect.stringMatching(/^Error: The arguments (?:do not fit|are not JSON): ./),
    })
    expect(calls).toBe(0)
  })

  it('is not called with arguments that are no JSON', async () => {
    let calls = 0
    const agent = agentWith(() => ++calls)
    expect(await agent.executeTool(call('{"a": '))).toEqual(
      answered('Error: The arguments are not JSON: Unexpected end of JSON input', true),
    )
    expect(calls).toBe(0)
  })

  it('that is not there has answered with an error', async () => {
    const content = 'Error: Function subtract not found.'
    expect(await agentWith(() => 1).executeTool({ id: '7', name: 'subtract', input: {} })).toEqual({
      toolCallId: '7',
      name: 'subtract',
      content,
      isError: true,
    })
  })

  it('that yields has answered with the last', async () => {
    const agent = agentWith(async function* () {
      yield 'one'
      yield 'two'
    })
    expect(await agent.executeTool(call({ a: 1 }))).toEqual(answered('two'))
    const silent = agentWith(async function* () {})
    expect(await silent.executeTool(call({ a: 1 }))).toEqual(answered(''))
  })

  it.each<[ToolModelOutput, string, boolean | undefined]>([
    [{ type: 'text', value: 'shown' }, 'shown', undefined],
    [{ type: 'error-text', value: 'wrong' }, 'wrong', true],
    [{ type: 'json', value: { a: 1 } }, '{"a":1}', undefined],
    [{ type: 'error-json', value: { code: 1 } }, '{"code":1}', true],
    [{ type: 'content' }, '"4"', undefined],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'A plot:' },
          { type: 'media', mediaType: 'image/png' },
          { type: 'file-url' },
        ],
      },
      'A plot:\n[image/png, not shown]\n[file-url, not shown]',
      undefined,
    ],
  ])('shows the model what it makes of its output: %j', async (shown, content, isError) => {
    const toModelOutput = async ({ output }: { output: unknown }) => {
      expect(output).toEqual(['4'])
      return shown
    }
    const agent = agentWith(() => ['4'], { toModelOutput })
    const expected = content === '"4"' ? '["4"]' : content
    expect(await agent.executeTool(call({ a: 1 }))).toEqual(answered(expected, isError))
  })

  it('is one of the AI SDK with a name', async () => {
    const agent = speaker('agent')
    const add = tool({ inputSchema, execute: ({ a, b }) => a + b })
    agent.registerForExecution({ ...add, name: 'add', description: 'Adds.' })
    expect(await agent.executeTool(call({ a: 1, b: 5 }))).toEqual(answered('6'))
  })

  it('is another one under the same name from then on, or none', async () => {
    const agent = agentWith(() => 'old')
    agent.registerForExecution({ name: 'add', inputSchema, execute: () => 'new' })
    expect(await agent.executeTool(call({ a: 1 }))).toEqual(answered('new'))
    agent.unregisterTool('add')
    expect(await agent.executeTool(call({ a: 1 }))).toMatchObject({ isError: true })
  })

  it.each(['add', 'add_2-b', 'A', 'x'.repeat(64)])('may be called %s', async (name) => {
    const agent = speaker('agent')
    agent.registerForExecution({ name, inputSchema, execute: () => 'here' })
    expect((await agent.executeTool({ id: '1', name, input: { a: 1 } })).content).toBe('here')
  })

  it.each(['', 'a b', 'a.b', 'ä', 'a\n', 'x'.repeat(65)])('cannot be called %j', async (name) => {
    const [agent, other] = [speaker('agent'), speaker('other')]
    const named = { name, inputSchema, execute: () => 1 }
    expect(await codeOf(() => agent.registerForExecution(named))).toBe('INVALID_TOOL')
    expect(await codeOf(() => agent.registerForModel(named))).toBe('INVALID_TOOL')
    const { registerFunction } = await import('../agent/registered-functions.ts')
    expect(await codeOf(() => registerFunction(named, { caller: agent, executor: other }))).toBe(
      'INVALID_TOOL',
    )
  })
})
