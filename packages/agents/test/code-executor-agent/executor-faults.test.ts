import { DecisionLedger, FencedError } from '@fenced/core'
import { describe, expect, it, vi } from 'vitest'
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
    const [told] = ofType(events, 'notice')
    expect(results[1]?.output).toBe(`so far\nThe code could not be run: ${told?.notice.message}\n`)
    expect(prompt(3).at(-1)).toContain(told?.notice.message)
    expect(told?.notice).toMatchObject({
      code: 'DRIVER_FAILED',
      data: { reason: 'the executor is gone' },
    })
  })

  it.each([
    ['throws', new Error('no sandbox'), { code: 'EXECUTOR_FAILED', data: { reason: 'no sandbox' } }],
    ['throws what is no error', 'no sandbox', { code: 'EXECUTOR_FAILED', data: { reason: 'no sandbox' } }],
    [
      'does not start',
      new FencedError({
        code: 'DOCKER_UNREACHABLE',
        message: 'no sandbox: start Docker',
        data: { address: 'x' },
      }),
      { code: 'DOCKER_UNREACHABLE', data: { address: 'x' } },
    ],
  ])('is a result also when it %s', async (_, error, notice) => {
    const { agent, executor } = runner()
    executor.execute = () => {
      throw error
    }
    const { message, events } = await agent.onMessages([
      { role: 'user', id: '1', source: 'a', createdAt: '', origin: 'model', content: program('say 1') },
    ])
    expect(message.content).toMatch(/status: died\)\nIts output was:\nThe code could not be run: no sandbox/)
    expect(ofType(events, 'notice')[0]?.notice).toMatchObject(notice)
    expect(ofType(events, 'code-end')[0]?.result).toMatchObject({
      status: 'died',
      isolation: { kind: 'container', network: 'none', particulars: { memoryBytes: 1_000 } },
    })
  })

  it('before an approved program began is started again, and asks no second question', async () => {
    const asked: string[] = []
    const approve = ({ id }: { readonly id: string }) => {
      asked.push(id)
      return { decision: 'allow' } as const
    }
    const ledger = new DecisionLedger()
    const { agent, executor } = runner({ ask: { code: approve }, ledger })
    const start = vi
      .spyOn(executor, 'start')
      .mockRejectedValueOnce(
        new FencedError({ code: 'EXECUTOR_DIED', message: 'It died.', data: { executor: 'orders' } }),
      )
    const { text, events } = await agent.run({ task: program('say 1') })
    expect(text).toContain('1\n')
    const told = ofType(events, 'code').flatMap(({ event }) =>
      event.type === 'notice' ? event.notice.code : [],
    )
    expect(told).toEqual(['state-lost'])
    expect(start).toHaveBeenCalledTimes(2)
    expect(executor.ran).toEqual(['say 1'])
    expect(asked).toHaveLength(1)
    expect(await ledger.list()).toMatchObject([{ id: asked[0], state: 'finished' }])
  })

  it('and cannot be started again is a result that names both faults', async () => {
    const { agent, executor } = runner()
    const gone = (code: string) => new FencedError({ code, message: 'It is gone.', data: { image: 'x' } })
    vi.spyOn(executor, 'start').mockRejectedValueOnce(gone('EXECUTOR_DIED'))
    vi.spyOn(executor, 'restart').mockRejectedValueOnce(gone('IMAGE_GONE'))
    const { events } = await agent.run({ task: program('say 1') })
    const told = ofType(events, 'code').flatMap(({ event }) => (event.type === 'notice' ? event.notice : []))
    expect(told).toMatchObject([{ code: 'restart-failed', data: { image: 'x', reason: 'It is gone.' } }])
  })

  it('is not stopped by an agent that was given it', async () => {
    const { agent, executor } = runner()
    await agent.stop()
    await agent[Symbol.asyncDispose]()
    expect((await executor.execute([{ language: 'sh', code: 'say 1' }])).output).toBe('1\n')
  })
})
