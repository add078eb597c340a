import { tracingChannel } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AssistantAgent,
  asChatAgent,
  asTool,
  CodeExecutorAgent,
  RoundRobinGroupChat,
  UserProxyAgent,
} from '@fenced/agents'
import { type ScriptedAnswer, ScriptedModel } from '@fenced/agents/testing'
import { fileLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { traceFenced } from '@fenced/opentelemetry'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const spans = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const tracing = traceFenced({ tracerProvider })
const executor = new LocalCommandLineCodeExecutor()
const secret = 'not-for-a-trace'
const program = `~~~sh\necho ${secret}\n~~~`

beforeEach(async () => {
  await executor.start()
  spans.reset()
})
afterAll(async () => {
  tracing[Symbol.dispose]()
  await executor.stop()
})

/** The finished spans as a tree, by their names: each with the names of its children. Those of single blocks and processes are left out. */
function tree(parent?: string): unknown[] {
  const left = /^fenced\.(block|process|start|question)$/
  return spans
    .getFinishedSpans()
    .filter(({ name, parentSpanContext }) => parentSpanContext?.spanId === parent && !left.test(name))
    .toSorted((one, other) => compare(one, other))
    .map((span) => [span.name, ...tree(span.spanContext().spanId)])
}

function compare({ startTime: [a, b] }: ReadableSpan, { startTime: [c, d] }: ReadableSpan): number {
  return a - c || b - d
}

const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name)

const model = (modelId: string, ...script: ScriptedAnswer[]) => new ScriptedModel(script, { modelId })
const coder = (name: string, ...script: ScriptedAnswer[]) =>
  new CodeExecutorAgent({ name, executor, model: model(`model-of-${name}`, ...script) })

describe('the spans of agents', () => {
  it('are a run with its turn, the requests to its model and its programs', async () => {
    await coder('coder', program, `It says ${secret}.`).run('Run it.')
    expect(tree()).toEqual([
      [
        'agent.run coder',
        ['agent.turn coder', ['chat model-of-coder'], ['fenced.execute'], ['chat model-of-coder']],
      ],
    ])
    expect(named('agent.run coder')[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'coder',
      'fenced.kind': 'task',
      'fenced.status': 'done',
    })
    expect(named('agent.turn coder')[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'coder',
    })
    const [chat] = named('chat model-of-coder')
    expect(chat?.kind).toBe(SpanKind.CLIENT)
    expect(chat?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'fenced',
      'gen_ai.request.model': 'model-of-coder',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.response.finish_reasons': ['stop'],
    })
    const told = JSON.stringify(
      spans.getFinishedSpans().map(({ attributes, events }) => [attributes, events]),
    )
    expect(told).not.toContain(secret)
  })

  it('nest in a team with a team in it, and in an agent that is a tool', async () => {
    const inner = new RoundRobinGroupChat({ name: 'inner', participants: [coder('one', 'Hi.')], maxTurns: 1 })
    const outer = new AssistantAgent({
      name: 'two',
      model: model('m', { toolCalls: [{ name: 'three', input: { task: 'Go.' } }] }, 'Done.'),
      tools: { three: asTool(coder('three', 'Hello.')) },
    })
    const team = new RoundRobinGroupChat({
      name: 'team',
      participants: [inner, asChatAgent(outer)],
      maxTurns: 2,
    })
    await team.run('Go.')
    const three = ['agent.run three', ['agent.turn three', ['chat model-of-three']]]
    expect(tree()).toEqual([
      [
        'agent.run team',
        ['agent.run inner', ['agent.turn one', ['chat model-of-one']]],
        ['agent.turn two', ['chat m'], ['execute_tool three', three], ['chat m']],
      ],
    ])
    expect(named('execute_tool three')[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'three',
      'gen_ai.tool.type': 'function',
    })
  })

  it('are a conversation with the turns of both', async () => {
    const writer = new AssistantAgent({ name: 'writer', model: model('m', program, 'TERMINATE') })
    const user = new UserProxyAgent({
      name: 'user',
      humanInputMode: 'never',
      codeExecutionConfig: { executor },
    })
    await user.initiateChat(writer, { message: 'Run it.' })
    expect(tree()).toEqual([
      [
        'agent.run user',
        ['agent.turn writer', ['chat m']],
        ['agent.turn user', ['fenced.execute']],
        ['agent.turn writer', ['chat m']],
        ['agent.turn user'],
      ],
    ])
  })

  it('are separate where runs overlap', async () => {
    const runs = ['a', 'b', 'c'].map((name) => coder(name, program, 'Done.').run('Run it.'))
    await Promise.all(runs)
    expect(tree()).toEqual(
      ['a', 'b', 'c'].map((name) => [
        `agent.run ${name}`,
        [`agent.turn ${name}`, [`chat model-of-${name}`], ['fenced.execute'], [`chat model-of-${name}`]],
      ]),
    )
  })

  it('say that a model failed and the next one answered, and that a run was cancelled', async () => {
    const failing = new ScriptedModel(() => Promise.reject(new RangeError(secret)), { modelId: 'broken' })
    const models = [failing, model('spare', 'Hi.')]
    const agent = new CodeExecutorAgent({
      name: 'coder',
      executor,
      model: models,
      modelOptions: { maxRetries: 0 },
    })
    await agent.run('Go.')
    expect(tree()).toEqual([['agent.run coder', ['agent.turn coder', ['chat broken'], ['chat spare']]]])
    const [broken] = named('chat broken')
    expect(broken?.status.code).toBe(SpanStatusCode.ERROR)
    expect(broken?.attributes['error.type']).toEqual(broken?.status.message)
    spans.reset()
    const run = coder('late', 'Hi.').run('Go.')
    await run.cancel()
    expect(named('agent.run late')[0]?.attributes['fenced.status']).toBe('cancelled')
    expect(JSON.stringify(spans.getFinishedSpans().map(({ events }) => events))).not.toContain(secret)
  })

  it('say that a turn waits for an answer, which is not an error', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-spans-'))
    await using _ = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
    const ledger = fileLedger(join(directory, 'ledger'))
    const agent = new CodeExecutorAgent({ name: 'coder', executor, ledger, model: model('m', program) })
    const { status } = await agent.run({ task: 'Run it.', onQuestion: 'suspend' })
    expect(status).toBe('waiting')
    const [turn] = named('agent.turn coder')
    expect(turn?.attributes['fenced.status']).toBe('waiting')
    expect(turn?.status.code).toBe(SpanStatusCode.UNSET)
    expect(turn?.events).toEqual([])
    expect(named('agent.run coder')[0]?.attributes['fenced.status']).toBe('waiting')
  })
})

it('nothing is published where nothing subscribes', async () => {
  tracing[Symbol.dispose]()
  const names = ['agent-run', 'agent-turn', 'chat', 'tool']
  expect(names.map((name) => tracingChannel(`fenced:${name}`).hasSubscribers)).toEqual(names.map(() => false))
  await coder('coder', 'Hi.').run('Go.')
  expect(spans.getFinishedSpans()).toEqual([])
})
