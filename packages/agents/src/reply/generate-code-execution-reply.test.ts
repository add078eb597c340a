import { describe, expect, it } from 'vitest'
import type { CodeExecutionConfig } from '../agent/agent-options.ts'
import { contentsOf, eventsOf, eventsOfType, speaker, typesOf } from '../agent/agents.fixture.ts'
import { createMessage, type Message, textOf } from '../message/message.ts'
import { codeReply } from '../running/result-text.ts'
import { EchoExecutor, fence } from './echo-executor.fixture.ts'

const succeeded = (output: string) => `exitcode: 0 (execution succeeded)\nCode output: \n${output}`

function runner(config: Partial<CodeExecutionConfig> = {}, lines: readonly string[] = ['nothing to run']) {
  const executor = new EchoExecutor()
  const agent = speaker('runner', lines, { codeExecutionConfig: { executor, ...config } })
  return { agent, executor }
}

const message = (role: 'user' | 'assistant', content: string): Message =>
  createMessage({ role, source: role, origin: 'model', content })
const theirs = (code: string) => message('user', fence('python', code))
const own = (code: string) => message('assistant', fence('python', code))
const words = message('user', 'only words')

describe('which messages are searched for code', () => {
  it('as many of the newest as lastNMessages says', ({ everyRow }) =>
    everyRow<[string, CodeExecutionConfig['lastNMessages'], Message[], string[]]>(
      [
        ['none of them', 0, [theirs('a')], []],
        ['the newest', 1, [theirs('a'), theirs('b')], ['b']],
        ['the newest alone', 1, [theirs('a'), words], []],
        ['the newest three', 3, [theirs('a'), theirs('b'), words, words], ['b']],
        ['no more than the newest two', 2, [theirs('a'), words, words], []],
        ['more than there are', 10, [theirs('a')], ['a']],
        ['also its own', 2, [theirs('a'), own('b'), words], ['b']],
        ['all since it last spoke', 'auto', [theirs('a'), own('b'), theirs('c'), words], ['c']],
        ['none before it last spoke', 'auto', [theirs('a'), own('b'), words], []],
        ['all, where it has not spoken', 'auto', [theirs('a'), words], ['a']],
        ['none where it spoke last', 'auto', [theirs('a'), own('b')], []],
        ['all by default', undefined, [theirs('a'), words, words], ['a']],
        ['none of nothing', 'auto', [], []],
      ],
      async (_, lastNMessages, messages, ran) => {
        const { agent, executor } = runner(lastNMessages === undefined ? {} : { lastNMessages })
        await agent.generateReply({ messages })
        expect(executor.ran).toEqual(ran)
      },
    ))

  it('only the newest that has code is run, and all of it', async () => {
    const { agent, executor } = runner()
    const last = message('user', `First\n\n${fence('python', 'b1')}\n\nthen\n\n${fence('sh', 'b2')}`)
    const reply = await agent.generateReply({ messages: [theirs('a'), last, words] })
    expect(executor.ran).toEqual(['b1', 'b2'])
    expect(reply).toMatchObject({ role: 'assistant', source: 'runner', content: succeeded('b1\nb2\n') })
  })
})

describe('what is replied to code', () => {
  const replyTo = async (content: string, config?: Partial<CodeExecutionConfig>) => {
    const { agent, executor } = runner(config)
    const reply = await agent.generateReply({ messages: [message('user', content)] })
    return { content: reply === null ? '' : textOf(reply), ran: executor.ran }
  }

  it('is its output when it has ended well', async () => {
    expect(await replyTo(fence('python', 'hello'))).toMatchObject({ content: succeeded('hello\n') })
  })

  it('is its output and its exit code when it has not', async () => {
    const { content, ran } = await replyTo(`${fence('sh', 'fail')}\n\n${fence('sh', 'never')}`)
    expect(content).toBe('exitcode: 3 (execution failed)\nCode output: \nit went wrong\n')
    expect(ran).toEqual(['fail'])
  })

  it.each(['rust', 'javascript'])('says that %s is not run here', async (language) => {
    const { content, ran } = await replyTo(fence(language, 'x'))
    expect(content).toMatch(/^exitcode: \d+ \(execution failed\)\nCode output: \n/)
    const { output } = await new EchoExecutor().execute([{ language, code: 'x', line: 1 }])
    expect(content).toContain(output)
    expect(ran).toEqual([])
  })

  it('is that of all programs it runs of mixed languages, in order, and names the other blocks', async () => {
    const blocks = [fence('json', '{}'), fence('python', 'a'), fence('javascript', 'x'), fence('sh', 'b')]
    const { content, ran } = await replyTo(blocks.join('\n\n'))
    expect(ran).toEqual(['a', 'b'])
    expect(content).toMatch(/\n[^\n]+\na\n[^\n]+\nb\n$/)
  })

  it('keeps the beginning and the end of a long output', async () => {
    const code = `begin ${'x'.repeat(500)} end`
    const { content = '' } = await replyTo(fence('python', code), { maxResultLength: 40 })
    expect(content).toMatch(/^exitcode: 0 \(execution succeeded\)\nCode output: \nbegin x/)
    expect(content).toContain(`[... ${code.length + 1 - 40} of ${code.length + 1} characters left out ...]`)
    expect(content.endsWith('x end\n')).toBe(true)
    expect(content.length).toBeLessThan(200)
  })

  it('counts what the executor left out of a long output', async () => {
    const executor = new EchoExecutor({ maxOutputBytes: 1_000 })
    const { blocks, ...result } = await executor.execute([{ language: 'python', code: 'x'.repeat(5_000) }])
    const leftOut = blocks[0]?.droppedBytes.output
    expect(leftOut).toBeGreaterThan(3_000)
    expect(codeReply({ ...result, blocks }, 40)).toContain(`and ${leftOut} bytes that were left out before`)
  })

  it('says what was lost, also where the program succeeded', async () => {
    const { blocks, ...result } = await new EchoExecutor().execute([{ language: 'python', code: 'a' }])
    const notices = [{ code: 'process-out-of-memory', message: 'A child was killed.' }]
    const reply = codeReply({ ...result, blocks: blocks.map((block) => ({ ...block, notices })) }, 1_000)
    expect(reply).toBe('exitcode: 0 (execution succeeded)\nCode output: \na\n\nA child was killed.\n')
  })

  it('is none where there is no code, and the next function is asked', async () => {
    expect(await replyTo('only words')).toEqual({ content: 'nothing to run', ran: [] })
  })
})

describe('code that is cut off', () => {
  it('is refused, in words for its writer', async () => {
    const { agent, executor } = runner()
    const messages = [message('user', '```python\nprint(1)')]
    expect((await agent.generateReply({ messages }))?.content).toMatch(
      /^exitcode: \d+ \(execution failed\)\n./,
    )
    expect(executor.ran).toEqual([])
  })
})

describe('a conversation in which code runs', () => {
  it('tells what is run, what it prints and what came of it, before the reply', async () => {
    const { agent } = runner()
    const chat = speaker('writer').initiateChat(agent, { message: fence('python', 'hello') })
    const events = await eventsOf(chat)
    const types = typesOf(events)
    expect(types.slice(0, 3)).toEqual(['chat-start', 'message', 'code-start'])
    expect(types.slice(types.indexOf('code-end'))).toEqual(['code-end', 'message', 'termination', 'chat-end'])
    expect(eventsOfType(events, 'code-start')).toMatchObject([
      {
        type: 'code-start',
        agent: 'runner',
        blocks: [{ language: 'python', code: 'hello' }],
      },
    ])
    const told = eventsOfType(events, 'code').map(({ event }) => event)
    expect(told).toContainEqual({ type: 'stdout', index: 0, text: 'hello\n' })
    expect(told.map(({ type }) => type)).not.toContain('execution-end')
    expect(eventsOfType(events, 'code-end')).toMatchObject([
      { agent: 'runner', result: { status: 'ok', exitCode: 0, output: 'hello\n' } },
    ])
  })

  it('stops the code when it is cancelled, and keeps nothing of it', async () => {
    const { agent } = runner()
    const stop = new AbortController()
    const chat = speaker('writer').initiateChat(agent, {
      message: `${fence('python', 'hang')}\n\nTERMINATE`,
      signal: stop.signal,
    })
    for await (const event of chat) if (event.type === 'code-start') stop.abort()
    const { status, messages, summary } = await chat
    expect([status, contentsOf(messages).length, summary]).toEqual(['cancelled', 1, ''])
  })
})
