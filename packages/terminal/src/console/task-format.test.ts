import { PassThrough } from 'node:stream'
import { type AgentEvent, RoundRobinGroupChat, type TaskResult } from '@fenced/agents'
import { createEvent, type EventInit, humanInputRequest } from '@fenced/agents/testing'
import { describe, expect, it } from 'vitest'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { codeOf } from '../../../agents/src/agent/agents.fixture.ts'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import { itemsOf, TestAgent } from '../../../agents/src/team/test-agent.fixture.ts'
// @boundaries-ignore Tests of the agents use it as well; no package exports it.
import {
  codeRun,
  eventOf,
  handoff,
  stop,
  type Told,
  text,
  thought,
  tokens,
  toolSummary,
  toolsCalled,
} from '../../../agents/src/termination/watch.fixture.ts'
import { type ConsoleViewOptions, consoleView } from './console-view.ts'

const chunk = (text: string, agent = 'a'): EventInit => ({ type: 'text-delta', agent, text })
const generated = (content: string): EventInit => ({
  type: 'code-generated',
  agent: 'a',
  retryAttempt: 0,
  content,
  codeBlocks: [],
})
const notice = (code: string, message: string): EventInit => ({
  type: 'notice',
  agent: 'a',
  notice: { code, message },
})
const fallback: EventInit = {
  type: 'model-fallback',
  agent: 'a',
  modelId: 'one',
  nextModelId: 'two',
  message: 'Busy.',
}
const result = (stopReason?: string): TaskResult => ({
  status: 'done',
  text: '',
  files: [],
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel: {} },
  messages: [],
  events: [],
  ...(stopReason === undefined ? {} : { stopReason }),
})
const end = (stopReason?: string): EventInit => ({ type: 'task-end', agent: 'a', result: result(stopReason) })

async function* stream(...events: Told[]): AsyncGenerator<AgentEvent> {
  yield createEvent({ type: 'task-start', agent: 'a' })
  yield* events.map(eventOf)
}

async function shown(events: readonly Told[], options: ConsoleViewOptions = {}): Promise<string> {
  const output = new PassThrough({ highWaterMark: 2 ** 20 })
  await consoleView(stream(...events, end('Done.')), { output, ...options })
  return output.read()?.toString() ?? ''
}

const head = (type: string, source = 'a') => `---------- ${type} (${source}) ----------\n`
const question = humanInputRequest({ kind: 'reply', agent: 'a', prompt: '?' })
const calls = [{ id: '1', name: 'add', input: { a: 1 } }]

describe('a message or an event', () => {
  it('has its head and its text (UI-02)', ({ everyRow }) =>
    everyRow<[string, Told, string]>(
      [
        ['what is said', text('a', 'Hello.'), `${head('TextMessage')}Hello.\n`],
        ['a last word', stop('a', 'Bye.'), `${head('StopMessage')}Bye.\n`],
        ['a task that is given on', handoff('a', 'b'), `${head('HandoffMessage')}To b.\n`],
        ['what came of tools', toolSummary('a', 'add'), `${head('ToolCallSummaryMessage')}3\n`],
        [
          'calls',
          { type: 'tool-calls', agent: 'a', content: '', toolCalls: calls },
          `${head('ToolCallRequestEvent')}add({"a":1})\n`,
        ],
        ['answers', toolsCalled('a', 'add'), `${head('ToolCallExecutionEvent')}add: 3\n`],
        ['a thought', thought('a', 'Hm.'), `${head('ThoughtEvent')}Hm.\n`],
        ['a program', generated('It is:\n...'), `${head('CodeGenerationEvent')}It is:\n...\n`],
        ['what a program did', codeRun('a', '233\n'), `${head('CodeExecutionEvent')}233\n\n`],
        [
          'who comes next',
          { type: 'speaker-selected', agent: 'team', speakers: ['a'] },
          `${head('SelectSpeakerEvent', 'team')}a\n`,
        ],
        ['a notice', notice('gone', 'It is gone.'), `${head('NoticeEvent')}It is gone.\n`],
        [
          'an answer of a person',
          {
            type: 'approval-answered',
            agent: 'a',
            requestId: '1',
            answer: { decision: 'deny', reason: 'No.' },
            remembered: true,
          },
          `${head('ApprovalAnsweredEvent')}deny: No. (an earlier answer holds)\n`,
        ],
        [
          'a question, which its asker shows',
          { type: 'human-input-requested', agent: 'a', request: question },
          '',
        ],
      ],
      async (_, item, expected) => {
        expect(await shown([item])).toBe(expected)
      },
    ))

  it('has its head in color where that is asked for', async () => {
    expect(await shown([text('a', 'x')], { colors: true })).toBe(
      '\u001B[33m---------- TextMessage (a) ----------\u001B[39m\nx\n',
    )
  })

  it('cannot do anything to the terminal', async () => {
    const bad = '\u001B[2J\u0007\u202E'
    const items = [text(bad, bad), chunk(bad), toolsCalled('a', bad), notice('x', bad), thought(bad, bad)]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about.
    expect(await shown(items)).not.toMatch(/[\0-\x08\x0B-\x1F\x7F-\x9F\u202E]/)
  })
})

describe('what comes in pieces (UI-03)', () => {
  const chunks = head('ModelClientStreamingChunkEvent')

  it('is shown once, under one head', ({ everyRow }) =>
    everyRow<[string, Told[], string]>(
      [
        [
          'is shown under one head, and not once more',
          [chunk('Hel'), chunk('lo.'), text('a', 'Hello.')],
          `${chunks}Hello.\n`,
        ],
        ['is not shown once more as a program', [chunk('x = 1'), generated('x = 1')], `${chunks}x = 1\n`],
        [
          'is not shown once more after a thought',
          [chunk('x'), thought('a', 'Hm.'), generated('x')],
          `${chunks}x\n${head('ThoughtEvent')}Hm.\n${head('CodeGenerationEvent')}x\n`,
        ],
        [
          'is shown whole where it became something else',
          [chunk('Hel'), text('a', 'Bye.')],
          `${chunks}Hel\n${head('TextMessage')}Bye.\n`,
        ],
        [
          'begins again when another model steps in',
          [chunk('Hel'), fallback, chunk('Bye.'), text('a', 'Bye.')],
          `${chunks}Hel\n${head('NoticeEvent')}one failed; using two: Busy.\n${chunks}Bye.\n`,
        ],
        [
          'has a head for every speaker',
          [chunk('A', 'a'), chunk('B', 'b'), chunk('C', 'b')],
          `${chunks}A\n${head('ModelClientStreamingChunkEvent', 'b')}BC\n`,
        ],
        [
          'stays in the result of a program, and in what its runner says',
          [chunk('1\n'), codeRun('a', '1\n'), text('a', '1\n')],
          `${chunks}1\n\n${head('CodeExecutionEvent')}1\n\n${head('TextMessage')}1\n\n`,
        ],
        [
          'is repeated when it is said again',
          [chunk('x'), text('a', 'x'), text('a', 'x')],
          `${chunks}x\n${head('TextMessage')}x\n`,
        ],
      ],
      async (_, items, expected) => {
        expect(await shown(items)).toBe(expected)
      },
    ))
})

describe('statistics (UI-04)', () => {
  it('stand below every message that cost something, and at the end', async () => {
    const items = [
      text('user', 'go'),
      chunk('x'),
      thought('a', 'Hm.'),
      text('a', 'y', tokens(3, 4)),
      text('b', 'z', tokens(1, 2)),
    ]
    const page = await shown(items, { showStatistics: true })
    expect(page).toContain(`${head('TextMessage')}y\n[Prompt tokens: 3, Completion tokens: 4]\n`)
    expect(page).not.toContain('go\n[')
    expect(page.slice(page.indexOf('---------- Summary'))).toMatch(
      /^-{10} Summary -{10}\nNumber of messages: 4\nFinish reason: Done\.\nTotal prompt tokens: 4\nTotal completion tokens: 6\nDuration: \d+\.\d\d seconds\n$/,
    )
  })
})

describe('the result (UI-01)', () => {
  const output = () => new PassThrough({ highWaterMark: 2 ** 20 })
  const team = () => new RoundRobinGroupChat({ participants: [new TestAgent('a')], maxTurns: 1 })

  it('is that of the task', async () => {
    expect(await consoleView(team().run({ task: 'go' }), { output: output() })).toMatchObject({
      stopReason: 'Maximum number of turns 1 reached.',
    })
    const items = await itemsOf(team().run({ task: 'go' }))
    const last = items.at(-1)
    expect(last).toMatchObject({ type: 'task-end', agent: 'RoundRobinGroupChat' })
    expect(await consoleView(stream(...items.slice(1)), { output: output() })).toBe(
      last?.type === 'task-end' && last.result,
    )
  })

  it('is the response of an agent, which is shown', async () => {
    const page = output()
    const response = await consoleView(new TestAgent('a').onMessages([]), { output: page })
    expect(response.message.content).toBe("a's")
    expect(page.read()?.toString()).toBe(`${head('TextMessage')}a's\n`)
  })

  it('is missing when the items end too early', async () => {
    expect(await codeOf(() => consoleView(stream(text('a', 'x')), { output: output() }))).toBe(
      'CHAT_NOT_ENDED',
    )
  })

  it('is the error of a task that fails', async () => {
    const broken = new TestAgent('a', () => {
      throw new Error('no model')
    })
    const failing = new RoundRobinGroupChat({ participants: [broken] }).run({ task: 'go' })
    expect(await codeOf(() => consoleView(failing, { output: output() }))).toBe('AGENT_FAILED')
  })

  it('comes to an end when nobody reads, and so does the team', async () => {
    const closed = output()
    closed.destroy()
    const run = new RoundRobinGroupChat({ participants: [new TestAgent('a')] }).run({ task: 'go' })
    expect(await codeOf(() => consoleView(run, { output: closed }))).toBe('OUTPUT_CLOSED')
    expect((await run).status).toBe('cancelled')
  })
})
