import { describe, expect, it } from 'vitest'
import { askingExecutor } from '../asking-executor.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { EchoExecutor } from './echo-executor.fixture.ts'
import { RememberedApprovals } from './remembered-approvals.ts'

const python = (code: string) => ({ language: 'python', code })

/** Executors that share what is remembered, and who was asked about what. */
function sharing(remembered = new RememberedApprovals()) {
  const asked: string[] = []
  const approve = ({ blocks }: { blocks: readonly { code: string }[] }): ApprovalAnswer => {
    const code = blocks[0]?.code ?? ''
    asked.push(code)
    if (code.startsWith('bad')) return { decision: 'deny', reason: 'Bad.', remember: 'code' }
    return { decision: 'allow', remember: code.startsWith('all') ? 'conversation' : 'code' }
  }
  const executor = (changes = {}) =>
    askingExecutor(new EchoExecutor(changes), { code: approve }, { remembered })
  return { remembered, asked, executor }
}

describe('remembered approvals', () => {
  it('are listed with what they hold for and where, as plain data', async () => {
    const { remembered, executor } = sharing()
    for (const code of ['good', 'bad', 'all']) await executor().execute([python(code)])
    const list = remembered.list()
    const target = { description: 'on this machine, not isolated, without network', executor: 'echo' }
    expect(list).toMatchObject([
      { decision: 'allow', target, blocks: [python('good')] },
      { decision: 'deny', target, blocks: [python('bad')], reason: 'Bad.' },
      { decision: 'allow', target },
    ])
    expect(list[2]).not.toHaveProperty('blocks')
    expect(JSON.parse(JSON.stringify(list))).toEqual(list)
    Object.assign(list[0] ?? {}, { decision: 'deny' })
    expect(remembered.list()[0]?.decision).toBe('allow')
  })

  it('are taken back one by one', async () => {
    const { remembered, asked, executor } = sharing()
    for (const code of ['one', 'two']) await executor().execute([python(code)])
    const [first] = remembered.list()
    expect(remembered.forget(first?.id ?? '')).toBe(true)
    expect(remembered.forget(first?.id ?? '')).toBe(false)
    for (const code of ['one', 'two']) await executor().execute([python(code)])
    expect(asked).toEqual(['one', 'two', 'one'])
    remembered.clear()
    await executor().execute([python('two')])
    expect(asked).toHaveLength(4)
  })

  it.each([
    ['another isolation', { isolation: 'container' as const }],
    ['the network', { network: 'open' }],
    ['other limits', { isolationParticulars: { memoryBytes: 1 } }],
  ])('do not hold with %s', async (_, changes) => {
    const { asked, executor } = sharing()
    await executor().execute([python('all')])
    await executor().execute([python('more')])
    expect(asked).toEqual(['all'])
    await executor(changes).execute([python('more')])
    expect(asked).toEqual(['all', 'more'])
  })

  it('hold for one kind of a module only', async () => {
    const { asked, executor } = sharing()
    const block = { language: 'javascript', code: 'good' }
    for (const info of ['js', 'mjs', 'cjs', 'mjs', 'js title="a"'])
      await executor().execute([{ ...block, info }])
    expect(asked).toEqual(['good', 'good', 'good'])
  })

  it('hold for a program under its file name only', async () => {
    const named = { ...python('good'), info: 'json.py' }
    const first = sharing()
    await first.executor().execute([python('good')])
    await first.executor().execute([named])
    expect(first.asked).toEqual(['good', 'good'])
    expect(first.remembered.list()).toMatchObject([
      { blocks: [python('good')] },
      { blocks: [{ ...python('good'), fileName: 'json.py' }] },
    ])
    const second = sharing(new RememberedApprovals(JSON.parse(JSON.stringify(first.remembered.list()))))
    for (const block of [{ ...named, info: 'python' }, named]) await second.executor().execute([block])
    expect(second.asked).toEqual([])
    await second.executor().execute([{ ...named, info: 'sitecustomize.py' }])
    expect(second.asked).toEqual(['good'])
  })

  it('hold in another process that has their list', async () => {
    const first = sharing()
    for (const code of ['good', 'bad']) await first.executor().execute([python(code)])
    const list = JSON.parse(JSON.stringify(first.remembered.list()))
    const second = sharing(new RememberedApprovals(list))
    expect(await second.executor().execute([python('good')])).toMatchObject({ status: 'ok' })
    expect(await second.executor().execute([python('bad')])).toMatchObject({ status: 'denied' })
    expect(second.asked).toEqual([])
  })

  it.each([[null], ['x'], [[{ decision: 'allow' }]], [[{ id: 'a', decision: 'edit', target: {} }]]])(
    'are not made of %j, and nothing has changed',
    async (list) => {
      const { remembered, executor } = sharing()
      await executor().execute([python('one')])
      const before = remembered.list()
      expect(() => remembered.load(list as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      )
      expect(remembered.list()).toEqual(before)
    },
  )
})
