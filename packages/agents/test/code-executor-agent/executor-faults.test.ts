import { FencedError } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { decision, ofType, program, runner, solver } from './solving.fixture.ts'

describe('an executor that fails', () => {
  it('in the middle of a second try is a result that the model reads, and a notice', async () => {
    const { agent, executor, prompt } = solver(
      [
        program('raise ValueError: oh'),
        decision(true, 'a'),
        program('say so far', 'break'),
        decision(true, 'b'),
        program('say 42'),
        'It is 42.',
      ],
      { maxRetriesOnError: 2 },
    )
    const { message, events } = await agent.onMessages([])
    expect(message.content).toBe('It is 42.')
    expect(executor.ran).toHaveLength(3)
    const results = ofType(events, 'code-end').map(({ result }) => result)
    expect(results.map(({ status }) => status)).toEqual(['error', 'died', 'ok'])
    expect(results[1]?.output).toMatch(/^so far\n.*the executor is gone/s)
    expect(prompt(3).at(-1)).toContain('the executor is gone')
    expect(ofType(events, 'notice')[0]?.notice.message).toContain('the executor is gone')
  })

  it.each([
    ['throws', new Error('no sandbox'), 'EXECUTOR_FAILED'],
    ['throws what is no error', 'no sandbox', 'EXECUTOR_FAILED'],
    [
      'does not start',
      new FencedError({ code: 'DOCKER_UNREACHABLE', message: 'no sandbox: start Docker' }),
      'DOCKER_UNREACHABLE',
    ],
  ])('is a result also when it %s', async (_, error, code) => {
    const { agent, executor } = runner()
    executor.execute = () => {
      throw error
    }
    const { message, events } = await agent.onMessages([
      { role: 'user', id: '1', source: 'a', createdAt: '', content: program('say 1') },
    ])
    expect(message.content).toMatch(/status: died\)\nIts output was:\nThe code could not be run: no sandbox/)
    expect(ofType(events, 'notice')[0]?.notice.code).toBe(code)
    expect(ofType(events, 'code-end')[0]?.result).toMatchObject({
      status: 'died',
      isolation: { kind: 'container', network: false, particulars: { memoryBytes: 1_000 } },
    })
  })

  it('is not stopped by an agent that was given it', async () => {
    const { agent, executor } = runner()
    await agent.stop()
    await agent[Symbol.asyncDispose]()
    expect((await executor.execute([{ language: 'sh', code: 'say 1' }])).output).toBe('1\n')
  })
})
