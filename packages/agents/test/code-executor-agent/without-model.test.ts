import { describe, expect, it } from 'vitest'
import { createMessage, type Message } from '../../src/message/message.ts'
import { fence } from '../../src/reply/echo-executor.fixture.ts'
import { itemsOf, ofType, outline, program, runner } from './solving.fixture.ts'

const says = (source: string, content: string) =>
  createMessage({ role: 'user', source, origin: 'model', content })

describe('an agent without a model', () => {
  it('runs the program of a message and answers with what it printed', async () => {
    const { agent, executor } = runner()
    const { message, events } = await agent.onMessages([says('writer', program('say 6.481'))])
    expect(message).toMatchObject({ role: 'assistant', source: 'runner', content: '6.481\n' })
    expect('metadata' in message).toBe(false)
    expect(outline(events)).toEqual(['task-start', 'code 0', 'code 0', 'code-end 0'])
    expect(executor.ran).toEqual(['say 6.481'])
  })

  it('runs the programs of all messages in one call, in order', async () => {
    const { agent, executor } = runner()
    const messages = [
      says('a', `${program('say 1')}\n${program('say 2')}`),
      says('b', 'nothing'),
      says('c', program('say 3')),
    ]
    const items = await itemsOf(agent.onMessages(messages))
    expect(executor.ran).toEqual(['say 1', 'say 2', 'say 3'])
    expect(ofType(items, 'response')[0]?.response.message.content).toBe('1\n2\n3\n')
    expect(ofType(items, 'code-end')).toHaveLength(1)
  })

  it.each<[string, Message[]]>([
    ['nothing at all', []],
    ['words', [says('a', 'Say 1.')]],
    ['a block of data', [says('a', fence('json', '{}'))]],
    ['a block in a language that the executor does not run', [says('a', fence('ruby', 'puts 1'))]],
    [
      'a message that is no text',
      [
        createMessage({
          role: 'assistant',
          source: 'a',
          origin: 'model',
          content: program('say 1'),
          metadata: { stop: true },
        }),
      ],
    ],
  ])('asks for a program where it gets %s', async (_, messages) => {
    const { agent, executor } = runner()
    const { message, events } = await agent.onMessages(messages)
    expect(message.content).toMatch(/^No code blocks found in the thread\./)
    expect(outline(events)).toEqual(['task-start'])
    expect(executor.ran).toEqual([])
  })

  it.each([
    ['from everybody', undefined, ['say a', 'say b', 'say c']],
    ['from its sources only', ['a', 'c'], ['say a', 'say c']],
    ['from nobody', [], []],
  ])('takes programs %s', async (_, sources, ran) => {
    const { agent, executor } = runner({ sources })
    await agent.onMessages(['a', 'b', 'c'].map((name) => says(name, program(`say ${name}`))))
    expect(executor.ran).toEqual(ran)
  })

  it.each([
    [undefined, ['say py', 'say sh']],
    [['python'], ['say py']],
    [['PY', 'bash'], ['say py']],
    [['shell'], ['say sh']],
  ])('runs the languages %j', async (supportedLanguages, ran) => {
    const { agent, executor } = runner({ supportedLanguages })
    await agent.onMessages([says('a', `${fence('py', 'say py')}\n\n${fence('sh', 'say sh')}`)])
    expect(executor.ran).toEqual(ran)
  })

  it.each([
    [
      'prints nothing',
      'exit 0',
      /^The script ran but produced no output to console\. The POSIX exit code was: 0\./,
    ],
    ['prints blanks and fails', 'say  \nexit 3', /^The script ran but produced no output .* code was: 3\./],
    [
      'fails',
      'say 1\nraise ValueError: wrong',
      /^The script ran, then exited with an error \(POSIX exit code: 1\)\nIts output was:\n1\nValueError: wrong\n$/,
    ],
    ['fails at once', 'raise Oh', /^The script ran, then exited with an error \(POSIX exit code: 1\)/],
  ])('says it of a program that %s', async (_, code, expected) => {
    const { agent } = runner()
    const { message } = await agent.onMessages([says('a', fence('python', code))])
    expect(message.content).toMatch(expected)
  })

  it('answers with all outputs when the third program fails', async () => {
    const { agent, executor } = runner()
    const programs = ['say one', 'say two', 'say three\nraise Oh', 'say four'].map((code) =>
      fence('sh', code),
    )
    const { message } = await agent.onMessages([says('a', programs.join('\n\n'))])
    expect(message.content).toBe(
      'The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\none\ntwo\nthree\nOh\n',
    )
    expect(executor.ran).toHaveLength(3)
  })

  it('shows beginning and end of a long output', async () => {
    const { agent } = runner({ maxResultLength: 20 })
    const { message } = await agent.onMessages([says('a', program(`say ${'x'.repeat(1_000)}END`))])
    expect(message.content).toMatch(/^x{10}\n\[\.\.\. .* left out \.\.\.\]\nx{6}END\n$/)
  })

  it('refuses half a program, as the executor says', async () => {
    const { agent, executor } = runner()
    const { message } = await agent.onMessages([says('a', '```python\nsay 1')])
    expect(message.content).toContain('status: invalid')
    expect(executor.ran).toEqual([])
  })

  it('does a task alone', async () => {
    const { agent } = runner()
    const result = await agent.run({ task: program('say 1') })
    expect(result).toMatchObject({ status: 'done' })
    expect(ofType(result.events, 'message').map(({ agent }) => agent)).toEqual(['user', 'runner'])
    expect('stopReason' in result).toBe(false)
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ maxRetriesOnError: 1 }, 'maxRetriesOnError'],
    [{ maxRetriesOnError: -1 }, 'maxRetriesOnError'],
    [{ supportedLanguages: [] }, 'supportedLanguages'],
    [{ ask: { code: {} as never } }, 'ask'],
    [{ model: [] }, 'model'],
    [{ unknown: 1 } as never, 'unknown'],
  ])('is not made with %j', (options, where) => {
    expect(() => runner(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: where } }),
    )
  })
})
