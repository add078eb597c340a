import type { CodeResult, OutputFile } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { createEvent } from '../../src/event.ts'
import { RoundRobinGroupChat } from '../../src/index.ts'
import { said, taskMessages, taskResult } from '../../src/task/run-task.ts'
import { TestAgent } from '../../src/team/test-agent.fixture.ts'
import { program, solver } from './solving.fixture.ts'

const script = [program('say 42'), 'It is 42.']

describe('the result of a task', () => {
  it('has the answer and the tokens of every call, and a task is a text', async () => {
    const result = await solver(script).agent.run('What is it?')
    expect(result).toMatchObject({ status: 'done', text: 'It is 42.', files: [] })
    const spoken = script.join(' ').split(/\s+/).length
    expect(result.usage.outputTokens).toBe(spoken)
    expect(result.usage.byModel).toEqual({ scripted: expect.objectContaining({ outputTokens: spoken }) })
    expect(result.messages[0]).toMatchObject({ source: 'user', content: 'What is it?' })
  })

  it('has what the last one of a team said, also without the messages of the task', async () => {
    const team = () =>
      new RoundRobinGroupChat({ participants: [new TestAgent('a'), new TestAgent('b')], maxTurns: 2 })
    expect((await team().run('go')).text).toBe("b's")
    expect((await team().run({ task: 'go', outputTaskMessages: false })).text).toBe("b's")
  })

  it('has no answer where nobody has given one', async () => {
    const signal = AbortSignal.abort()
    const { status, text } = await solver(script).agent.run({ task: 'What is it?', signal })
    expect({ status, text }).toEqual({ status: 'cancelled', text: '' })
  })

  it('has every file once, as it was changed last', () => {
    const ran = (...files: OutputFile[]) =>
      createEvent({
        type: 'code-end',
        agent: 'a',
        retryAttempt: 0,
        content: '',
        result: { files } as unknown as CodeResult,
      })
    const task = taskMessages('Write.')
    const events = [
      ...task.map((message) => createEvent(said(message))),
      ran(
        { path: 'a.txt', sizeBytes: 1, change: 'created' },
        { path: 'b.txt', sizeBytes: 2, change: 'created' },
      ),
      ran({ path: 'a.txt', sizeBytes: 3, change: 'changed' }),
    ]
    expect(taskResult({ task, status: 'done', events }).files).toEqual([
      { path: 'a.txt', sizeBytes: 3, change: 'changed' },
      { path: 'b.txt', sizeBytes: 2, change: 'created' },
    ])
  })
})
