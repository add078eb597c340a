import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { AskAbout } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { BufferedChatCompletionContext } from '../../src/model-context/contexts.ts'
import { EchoExecutor } from '../../src/reply/echo-executor.fixture.ts'
import { program, runner, secondTime, solver } from './solving.fixture.ts'

const goOn = new URL('programs/go-on.ts', import.meta.url).pathname

describe('the state of an agent', () => {
  it('is plain data, and another agent goes on with it', async () => {
    const first = solver(secondTime, { maxRetriesOnError: 1 })
    await first.agent.run({ task: 'What is it?' })
    const state = JSON.parse(JSON.stringify(await first.agent.saveState()))
    expect(state).toMatchObject({ type: 'CodeExecutorAgent', version: 6 })
    const second = solver(['As I said.'])
    await second.agent.loadState(state)
    expect(await second.agent.saveState()).toEqual(state)
    await second.agent.run({ task: 'Say it again.' })
    expect(second.prompt(0).slice(1, 3)).toEqual(first.prompt(3).slice(1, 3))
    expect(second.prompt(0).at(-1)).toBe('user: Say it again.')
  })

  it.each([Uint8Array.of(1, 2), Buffer.of(1, 2), new URL('data:image/png;base64,AQI=')])(
    'loads again with a picture as %o',
    async (data) => {
      const first = solver(['A dot.', 'A dot.'])
      const content = [{ type: 'file' as const, mediaType: 'image/png', data }]
      await first.agent.run({ task: [{ role: 'user', content }] })
      const second = solver(['A dot.'])
      await second.agent.loadState(JSON.parse(JSON.stringify(await first.agent.saveState())))
      await Promise.all([first, second].map(({ agent }) => agent.run({ task: 'Sure?' })))
      expect(second.prompt(0)).toEqual(first.prompt(1))
    },
  )

  it('goes on in another process', async () => {
    const { agent } = solver([program('say 42'), 'It is 42.'])
    await agent.run({ task: 'What is it?' })
    const state = JSON.stringify(await agent.saveState())
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=@fenced/source',
      goOn,
      state,
    ])
    expect(JSON.parse(stdout)).toEqual([
      'user: What is it?',
      `assistant: ${program('say 42')}`,
      'user: 42\n',
      'assistant: It is 42.',
      'user: Are you sure?',
    ])
  })

  it('holds the answers that hold on', async () => {
    let asked = 0
    const approve: AskAbout<'code'> = ({ blocks }) => {
      asked++
      return blocks[0]?.code === 'say 1'
        ? { decision: 'allow', remember: 'code' }
        : { decision: 'deny', reason: 'No.', remember: 'code' }
    }
    const first = runner({ ask: { code: approve } })
    for (const order of ['say 1', 'say 2']) await first.agent.run({ task: program(order) })
    const second = runner({ ask: { code: approve } })
    await second.agent.loadState(JSON.parse(JSON.stringify(await first.agent.saveState())))
    for (const order of ['say 1', 'say 2']) await second.agent.run({ task: program(order) })
    expect([asked, second.executor.ran]).toEqual([2, ['say 1']])
  })

  it('holds no answer for another place', async () => {
    const approve: AskAbout<'code'> = ({ blocks }) =>
      blocks[0]?.code === 'say 1'
        ? { decision: 'allow', remember: 'code' }
        : { decision: 'allow', remember: 'conversation' }
    const first = runner({ ask: { code: approve } })
    for (const order of ['say 1', 'say 2']) await first.agent.run({ task: program(order) })
    let asked = 0
    const executor = new EchoExecutor()
    const second = runner({
      executor,
      ask: {
        code: () => {
          asked++
          return { decision: 'deny', reason: 'Not on this machine.' }
        },
      },
    })
    await second.agent.loadState(await first.agent.saveState())
    for (const order of ['say 1', 'say 2']) await second.agent.run({ task: program(order) })
    expect([asked, executor.ran]).toEqual([2, []])
  })

  it('is not changed by what happens afterwards', async () => {
    const { agent } = solver(['One.', 'Two.'])
    await agent.run({ task: 'Begin.' })
    const state = await agent.saveState()
    const before = JSON.stringify(state)
    await agent.run({ task: 'Go on.' })
    expect(JSON.stringify(state)).toBe(before)
  })

  it('can be loaded with another way to read the conversation', async () => {
    const { agent } = solver(['One.'])
    await agent.run({ task: 'Begin.' })
    const second = solver(['Two.'], { modelContext: new BufferedChatCompletionContext({ bufferSize: 1 }) })
    await second.agent.loadState(await agent.saveState())
    await second.agent.run({ task: 'Go on.' })
    expect(second.prompt(0).slice(1)).toEqual(['user: Go on.'])
  })

  const context = { type: 'ModelContext', version: 3, messages: [] }
  const memory = { context, answers: [] }
  const good = { type: 'CodeExecutorAgent', version: 6, memory }
  const question = { agent: 'coder', request: { kind: 'tool' } }

  it('is refused when it is not a state of this agent, and nothing has changed', ({ everyRow }) =>
    everyRow(
      [
        ['null', null],
        ['of a team', { ...good, type: 'RoundRobinGroupChat' }],
        ['of an earlier version', { ...good, version: 5 }],
        ['of a newer version', { ...good, version: 7 }],
        [
          'with a question that is none',
          { ...good, turn: { questions: [question], areDenied: false, toolResponses: [] } },
        ],
        ['without answers', { ...good, memory: { context } }],
        ['with a foreign field', { ...good, more: 1 }],
        [
          'with a broken conversation',
          { ...good, memory: { ...memory, context: { ...context, messages: [{ role: 'nobody' }] } } },
        ],
        ['with broken answers', { ...good, memory: { ...memory, answers: [{ decision: 'allow' }] } }],
      ],
      async (_, state) => {
        const { agent } = solver(['One.'])
        await agent.run({ task: 'Begin.' })
        const before = await agent.saveState()
        await expect(agent.loadState(state as never)).rejects.toMatchObject({ code: 'INVALID_STATE' })
        expect(await agent.saveState()).toEqual(before)
      },
    ))
})
