import { codeHash } from '@fenced/core/internal'
import { describe, expect, it } from 'vitest'
import { fence } from '../../src/reply/echo-executor.fixture.ts'
import { allow, answering, deny } from './answering.fixture.ts'
import { decision, itemsOf, ofType, outline, program, runner, secondTime, solver } from './solving.fixture.ts'

const task = (...orders: readonly string[]) => ({ task: program(...orders) })

describe('somebody who is asked before code is run', () => {
  it('sees the exact code, where it would run, and a hash of it', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering(allow)
    const code = '# filename: a.sh\npip install numpy'
    const { agent } = solver([`First:\n${fence('sh', code)}\n${program('say 1')}`, 'Done.'], {
      ask: { code: approve },
    })
    await agent.onMessages([])
    const [request] = requests
    expect(request).toEqual({
      kind: 'code',
      digest: expect.stringMatching(/^[\da-f]{64}$/),
      mayRunAgain: true,
      question: 'coder wants to run 2 programs (sh, python) in a container, without network (orders).',
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      agent: 'coder',
      blocks: [
        expect.objectContaining({ language: 'sh', code, fileName: 'a.sh', packages: ['numpy'] }),
        expect.objectContaining({ language: 'python', code: 'say 1' }),
      ],
      codeHash: codeHash(request?.blocks ?? []),
      target: {
        description: 'in a container, without network',
        executor: 'orders',
        isolation: 'container',
        network: 'none',
        particulars: { memoryBytes: 1_000 },
        installablePackages: ['numpy'],
      },
      context: expect.stringContaining('First:'),
      retryAttempt: 0,
      askedAt: expect.any(Number),
    })
    expect(JSON.parse(JSON.stringify(request))).toEqual(request)
  })

  it('is told of as a request and its answer, before the program runs', async () => {
    const { agent } = runner({ ask: answering(allow).ask })
    const items = await itemsOf(agent.run(task('say 1')))
    const types = outline(items)
    expect(types.slice(2, 5)).toEqual(['approval-requested', 'approval-answered', 'code 0'])
    expect(ofType(items, 'approval-answered')[0]).toMatchObject({
      answer: { decision: 'allow' },
      remembered: false,
    })
  })

  it.each(['run', 'onMessages'] as const)(
    'is asked when whoever watches %s has seen the request',
    async (how) => {
      const order: string[] = []
      const { agent } = solver([program('say 1'), 'One.'], {
        ask: {
          code: () => {
            order.push('asked')
            return allow
          },
        },
      })
      const items: AsyncIterable<{ type: string }> = how === 'run' ? agent.run() : agent.onMessages([])
      for await (const { type } of items) {
        if (type !== 'approval-requested') continue
        for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
        order.push('shown')
      }
      expect(order).toEqual(['shown', 'asked'])
    },
  )

  it('is asked again for every try, with its number', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering(allow, allow)
    await solver(secondTime, { ask: { code: approve }, maxRetriesOnError: 1 }).agent.onMessages([])
    expect(requests.map(({ retryAttempt }) => retryAttempt)).toEqual([0, 1])
  })

  it('is not asked where there is no code', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering()
    await solver(['Nothing to run.'], { ask: { code: approve } }).agent.onMessages([])
    expect(requests).toEqual([])
  })

  it('denies with a reason that the model reads', async () => {
    const {
      ask: { code: approve },
    } = answering(deny('Do not delete.'), allow)
    const { agent, executor, prompt } = solver(
      [program('say rm'), decision(true, 'Only look.'), program('say ls'), 'Looked.'],
      { ask: { code: approve }, maxRetriesOnError: 1 },
    )
    const { message, events } = await agent.onMessages([])
    expect([message.content, executor.ran]).toEqual(['Looked.', ['say ls']])
    expect(prompt(1).at(-1)).toContain('Code execution was not approved. Reason: Do not delete.')
    expect(ofType(events, 'code-end')[0]?.result).toMatchObject({
      status: 'denied',
      exitCode: 126,
      output: 'Code execution was not approved. Reason: Do not delete.\n',
      blocks: [],
    })
  })

  it('runs another code instead, and the model is told which', async () => {
    const edited = [{ language: 'sh', code: 'say safe\n~~~~' }]
    const {
      ask: { code: approve },
    } = answering({ decision: 'edit', blocks: edited, reason: 'Safer.' })
    const { agent, executor, prompt } = solver([program('say danger'), 'It is safe.'], {
      ask: { code: approve },
    })
    const { events } = await agent.onMessages([])
    expect(executor.ran).toEqual(['say safe\n~~~~'])
    expect(prompt(1).at(-1)).toContain('changed before it was run (Safer.), into this:\n\n~~~~sh\nsay safe')
    expect(ofType(events, 'approval-answered')[0]).toMatchObject({
      answer: { decision: 'edit', reason: 'Safer.' },
    })
  })

  it('changes nothing by an edit that is the code itself', async () => {
    const {
      ask: { code: approve },
    } = answering({ decision: 'edit', blocks: [{ language: 'python', code: 'say 1' }] })
    const { messages } = await runner({ ask: { code: approve } }).agent.run(task('say 1'))
    expect(messages.at(-1)).toMatchObject({ content: '1\n' })
  })

  it('makes a changed code known where there is no model', async () => {
    const {
      ask: { code: approve },
    } = answering({ decision: 'edit', blocks: [{ language: 'sh', code: 'say 2' }] })
    const { messages } = await runner({ ask: { code: approve } }).agent.run(task('say 1'))
    expect(messages.at(-1)).toMatchObject({
      content: 'The code was changed before it was run, into this:\n\n~~~~sh\nsay 2\n~~~~\n\n2\n',
    })
  })
})
