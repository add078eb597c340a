import type { BlockTools } from '@fenced/core/driver'
import { expect, it } from 'vitest'
import { CellTools } from '../../src/tools/cell-tools.ts'

/** Tools that answer the first hundred calls with this, and the others with little. */
function answering(answer: string): BlockTools & { readonly calls: Array<string | undefined> } {
  const calls: Array<string | undefined> = []
  const take = async (message: string | undefined) => {
    calls.push(message)
    return calls.length > 100 ? '{}' : answer
  }
  return { calls, maxMessageBytes: 10_000, pythonFunctions: '', answer: take }
}

/** What a program of the cell has as the prompt of its requests. */
const tokenOf = ({ setup }: CellTools) => /loads\("\[\\"(\w+)\\"/.exec(setup)?.[1] ?? ''

it('answers requests of its own cell only', async () => {
  const tools = answering('{"id":1,"output":"ü"}')
  const replies: unknown[] = []
  const cell = new CellTools(tools, async (content) => void replies.push(content))
  const token = tokenOf(cell)
  const line = '{"id":1}\n'
  for (const content of [
    { prompt: 'Your name?', password: false },
    { prompt: 'Your name?', calls: line },
    { prompt: token, calls: 7 },
    { prompt: `${token}0`, calls: line },
    { calls: line },
  ])
    cell.take(content)
  expect(tools.calls).toEqual([])
  cell.take({ prompt: token, calls: line })
  await expect.poll(() => replies).toEqual([{ value: '{"id":1,"output":"\\u00fc"}\n', token }])
  expect(tokenOf(new CellTools(tools, async () => {}))).not.toBe(token)
})

it('takes no more calls of a kernel that takes no answers, and keeps a bounded number of them', async () => {
  const tools = answering(`{"id":1,"output":"${'x'.repeat(2 ** 20)}"}`)
  const { promise, resolve } = Promise.withResolvers<void>()
  const cell = new CellTools(tools, () => promise)
  const content = { prompt: tokenOf(cell), calls: `${'y'.repeat(5_000)}\n` }
  for (let round = 0; round < 8_000; round++) {
    cell.take(content)
    if (round % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const answered = tools.calls.length
  expect(answered).toBeLessThan(300)
  resolve()
  // What was held is answered: 16 MiB of calls.
  await expect.poll(() => tools.calls.length).toBeGreaterThan(answered + 3_000)
  expect(tools.calls.length).toBeLessThan(4_000)
})
