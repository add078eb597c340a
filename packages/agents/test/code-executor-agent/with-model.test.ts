import { describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { createMessage } from '../../src/message/message.ts'
import { answering } from '../../src/message/messages.fixture.ts'
import { finish, mockModel, says, speaks } from '../../src/model/mock-model.fixture.ts'
import { fence } from '../../src/reply/echo-executor.fixture.ts'
import { decision, itemsOf, ofType, outline, program, secondTime, solver } from './solving.fixture.ts'

const tellsOf = (prompt: readonly string[]) => prompt.map((line) => line.replace(/\n.*/s, ' ...'))

describe('an agent with a model', () => {
  it('runs what the model writes and answers with what the model says about it', async () => {
    const { agent, executor } = solver([program('say 42'), 'It is 42.'])
    const items = await itemsOf(agent.run({ task: 'What is it?' }))
    const [generation] = ofType(items, 'code-generated')
    const [execution] = ofType(items, 'code-end')
    expect(generation).toMatchObject({ agent: 'coder', content: program('say 42') })
    expect(generation?.codeBlocks).toMatchObject([{ language: 'python', code: 'say 42' }])
    expect(execution).toMatchObject({ content: '42\n', result: { status: 'ok', output: '42\n' } })
    expect(items.at(-1)).toMatchObject({ type: 'task-end', result: { status: 'done' } })
    expect(ofType(items, 'message').map(({ agent, message }) => [agent, message.content])).toEqual([
      ['user', 'What is it?'],
      ['coder', 'It is 42.'],
    ])
    expect(executor.ran).toEqual(['say 42'])
  })

  it('answers with words where the model writes no program', async () => {
    const { agent, executor } = solver(['It is 42.'])
    const { message, events } = await agent.onMessages([])
    expect([message.content, outline(events), executor.ran]).toEqual([
      'It is 42.',
      ['task-start', 'usage'],
      [],
    ])
  })

  it.each([
    [true, 2],
    ['true', 2],
    [false, 1],
    ['false', 1],
  ])('takes the decision %j', async (retry, programs) => {
    const { agent, executor } = solver(
      [program('raise Oh'), decision(retry, 'Because.'), program('say 1'), 'Done.'],
      { maxRetriesOnError: 1 },
    )
    await agent.onMessages([])
    expect(executor.ran).toHaveLength(programs)
  })

  it('runs all blocks of an answer and keeps all outputs when the third fails', async () => {
    const blocks = ['say one', 'say two', 'say three\nraise Oh'].map((code) => fence('python', code))
    const { agent } = solver([blocks.join('\n\n'), 'No.'])
    const { events } = await agent.onMessages([])
    expect(ofType(events, 'code-end')[0]?.content).toBe(
      'The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\none\ntwo\nthree\nOh\n',
    )
  })

  it('tells the model everything that came before, call by call', async () => {
    const { agent, prompt } = solver(secondTime, { maxRetriesOnError: 1, systemMessage: 'Be good.' })
    await agent.run({ task: 'What is it?' })
    const asked = ['system: Be good.', 'user: What is it?']
    const failed = `The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\nValueError: no data\n`
    const first = `assistant: ${secondTime[0]}`
    const second = `assistant: ${secondTime[2]}`
    const plan = `user: ${failed}\n\nAttempt number: 1\nProposed correction: Read the other file.`
    expect(prompt(0)).toEqual(asked)
    expect(prompt(1).slice(1, 3)).toEqual([asked[1], first])
    expect(prompt(1).slice(3)).toEqual([
      expect.stringMatching(/^user: The script ran.*The program did not work:\n\nThe script ran/s),
    ])
    expect(prompt(2)).toEqual([...asked, first, plan])
    const reflection = 'State the outcome for the user. Do not send another program.'
    expect(prompt(3)).toEqual([...asked, first, plan, second, `user: 42\n\n\n${reflection}`])
  })

  it('remembers a conversation, and nothing that was only asked on the way', async () => {
    const { agent, prompt } = solver([...secondTime, 'You are welcome.'], { maxRetriesOnError: 1 })
    await agent.run({ task: 'What is it?' })
    await agent.run({ task: 'Thanks.' })
    expect(tellsOf(prompt(4)).slice(-3)).toEqual(['user: 42 ...', 'assistant: It is 42.', 'user: Thanks.'])
    expect(prompt(4).join()).not.toMatch(/Decide whether|State the outcome/)
  })

  it.each([
    ['Be good.', 'system: Be good.'],
    [null, 'user: Hello.'],
  ])('tells the model its part: %j', async (systemMessage, first) => {
    const { agent, prompt } = solver(['Hi.'], { systemMessage })
    await agent.run({ task: 'Hello.' })
    expect(prompt(0)[0]).toBe(first)
  })

  it('tells the model what its executor is', async () => {
    const { agent, prompt } = solver(['Hi.'])
    await agent.run({ task: 'Hello.' })
    const told = prompt(0)[0] ?? ''
    for (const fact of [
      '```python, ```sh. Code in other languages does not run',
      'a separate process',
      'there is no network',
      'if they are missing: numpy',
    ])
      expect(told).toContain(fact)
    const stateful = solver(['Hi.'], { supportedLanguages: ['python'] })
    Object.assign(stateful.executor.capabilities, {
      stateful: ['python', 'sh'],
      network: 'open',
      richOutput: true,
    })
    await stateful.agent.run({ task: 'Hello.' })
    const other = stateful.prompt(0)[0] ?? ''
    expect(other).toContain('```python. Code in other languages does not run')
    expect(other).toContain('Variables, imports, functions and files persist')
    expect(other).toContain('can reach the network')
    expect(other).toContain('including pictures')
    for (const claim of [
      'a separate process',
      'functions and files persist',
      'network',
      'installed',
      'a picture',
    ])
      expect(CodeExecutorAgent.defaultSystemMessage).not.toContain(claim)
  })

  it('takes every kind of message as part of the conversation', async () => {
    const { agent, prompt } = solver(['Hi.'], { systemMessage: null })
    await agent.onMessages([
      createMessage({
        role: 'assistant',
        source: 'a',
        origin: 'model',
        content: 'Stop.',
        metadata: { stop: true },
      }),
      createMessage({
        role: 'assistant',
        source: 'b',
        origin: 'model',
        content: 'Go on.',
        metadata: { handoff: 'coder' },
      }),
      createMessage({
        ...answering({ toolCallId: '1', name: 'add', content: '7' }),
        source: 'c',
        origin: 'program',
      }),
    ])
    expect(prompt(0)).toEqual(['user: a:\nStop.\n\nb:\nGo on.\n\nc:\n7'])
  })

  it('answers with the result itself where it is not to reflect, or the model has nothing to say', async () => {
    const silent = solver([program('say 42')], { reflectOnResult: false })
    expect((await silent.agent.onMessages([])).message.content).toBe('42\n')
    expect(silent.model.prompts).toHaveLength(1)
    const { agent } = solver([program('say 42'), ''])
    expect((await agent.onMessages([])).message.content).toBe('42\n')
  })

  it('does not run half a program of an answer that was cut off, with or without approval', async () => {
    for (const ask of [undefined, { code: () => ({ decision: 'allow' as const }) }]) {
      const { agent, executor } = solver([], {
        ask,
        model: mockModel(
          'cut',
          [...speaks('```python\nsay 1'), finish({ reason: 'length' })],
          [...speaks('```python\nsay 2'), finish({ reason: 'length' })],
          says('It was cut off.'),
        ),
      })
      const { events } = await agent.onMessages([])
      expect(ofType(events, 'code-end')[0]?.result.status).toBe('invalid')
      expect(executor.ran).toEqual([])
    }
  })

  it('answers once at a time, and is not changed meanwhile', async () => {
    const { agent, executor } = solver([program('hang')])
    const stop = new AbortController()
    const first = agent.onMessages([], { signal: stop.signal })
    const busy = expect.objectContaining({ code: 'AGENT_IS_ANSWERING' })
    await expect(agent.onMessages([])).rejects.toEqual(busy)
    await expect(agent.run({ task: 'Hello.' })).rejects.toEqual(busy)
    await expect(agent.reset()).rejects.toEqual(busy)
    await expect(agent.saveState()).rejects.toEqual(busy)
    await expect(agent.loadState({ type: 'CodeExecutorAgent', version: 1 })).rejects.toEqual(busy)
    await expect.poll(() => executor.running.count).toBe(1)
    stop.abort()
    await expect(first).rejects.toThrow('aborted')
    await agent.reset()
    expect(await agent.modelContext.messages()).toEqual([])
  })
})
