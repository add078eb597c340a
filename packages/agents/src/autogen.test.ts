import { askingExecutor } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { type ApprovalFunc, askByFunc } from './autogen.ts'
import { EchoExecutor } from './reply/echo-executor.fixture.ts'

const blocks = [
  { language: 'python', code: 'one' },
  { language: 'sh', code: 'two\n' },
]

describe("a function of AutoGen's form", () => {
  it.each([true, false])('decides, also later: %j', async (approved) => {
    const seen: Parameters<ApprovalFunc>[0][] = []
    const inner = new EchoExecutor()
    const executor = askingExecutor(inner, {
      code: askByFunc(async (request) => {
        seen.push(request)
        return { approved, reason: 'As I said.' }
      }),
    })
    const { status, output } = await executor.execute(blocks)
    expect(seen).toEqual([{ code: '~~~~python\none\n~~~~\n\n~~~~sh\ntwo\n~~~~', context: '' }])
    expect(status).toBe(approved ? 'ok' : 'denied')
    expect(output.includes('As I said.')).toBe(!approved)
    expect(inner.ran).toEqual(approved ? ['one', 'two'] : [])
  })

  it('that answers nothing approves nothing', async () => {
    const inner = new EchoExecutor()
    const executor = askingExecutor(inner, { code: askByFunc((() => {}) as never) })
    await expect(executor.execute(blocks)).rejects.toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
    expect(inner.ran).toEqual([])
  })
})
