import { describe, expect, it } from 'vitest'
import { allow, answering, deny } from './answering.fixture.ts'
import { itemsOf, ofType, program, runner } from './solving.fixture.ts'

const task = (...orders: readonly string[]) => ({ task: program(...orders) })

describe('an answer that holds on', () => {
  it('for this code is asked for no more, for other code it is', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering({ decision: 'allow', remember: 'code' }, allow)
    const { agent, executor } = runner({ ask: { code: approve } })
    for (const order of ['say 1', 'say 1', 'say 2']) await agent.run(task(order))
    expect(requests).toHaveLength(2)
    const items = await itemsOf(agent.run(task('say 1')))
    expect(ofType(items, 'approval-requested')).toEqual([])
    expect(ofType(items, 'approval-answered')[0]).toMatchObject({
      answer: { decision: 'allow' },
      remembered: true,
    })
    expect(executor.ran).toEqual(['say 1', 'say 1', 'say 2', 'say 1'])
  })

  it('for the conversation is asked for no more at all', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering({ decision: 'allow', remember: 'conversation' })
    const { agent } = runner({ ask: { code: approve } })
    for (const order of ['say 1', 'say 2', 'say 3']) await agent.run(task(order))
    expect(requests).toHaveLength(1)
  })

  it('can be a denial, which comes before an approval of everything', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering(
      { decision: 'deny', reason: 'Never.', remember: 'code' },
      { decision: 'allow', remember: 'conversation' },
    )
    const { agent, executor } = runner({ ask: { code: approve } })
    for (const order of ['say 1', 'say 2', 'say 1']) await agent.run(task(order))
    expect([requests.length, executor.ran]).toEqual([2, ['say 2']])
    const items = await itemsOf(agent.run(task('say 1')))
    expect(ofType(items, 'approval-answered')[0]).toMatchObject({
      answer: { decision: 'deny', reason: 'Never.' },
      remembered: true,
    })
  })

  it('holds for this time only unless it says otherwise', async () => {
    const {
      ask: { code: approve },
      requests,
    } = answering(allow, deny('No.'), allow)
    const { agent } = runner({ ask: { code: approve } })
    for (let time = 0; time < 3; time++) await agent.run(task('say 1'))
    expect(requests).toHaveLength(3)
  })

  it.each([
    { decision: 'allow', remember: 'code' },
    { decision: 'allow', remember: 'conversation' },
    { decision: 'deny', reason: 'No.', remember: 'code' },
  ] as const)('is forgotten by a reset: %j', async (answer) => {
    const {
      ask: { code: approve },
      requests,
    } = answering(answer, allow)
    const { agent } = runner({ ask: { code: approve } })
    await agent.run(task('say 1'))
    await agent.reset()
    await agent.run(task('say 1'))
    expect(requests).toHaveLength(2)
  })
})
