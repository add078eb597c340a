import { describe, expect, it } from 'vitest'
import { askingExecutor } from '../asking-executor.ts'
import type { CodeExecutor } from '../code-executor.ts'
import { defineExecutor } from '../engine/define-executor.ts'
import { runApproved } from '../run-approved.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { Ask, AskAbout } from './ask.ts'
import { askKinds } from './asker.ts'
import { CodeQuestions } from './code-questions.ts'

const blocks = [{ language: 'sh', code: 'one' }]

/** An executor that prints each block, with its own `ask`. */
function makeExecutor(ask?: Ask): CodeExecutor {
  const define = defineExecutor({
    name: 'prints',
    languages: ['sh'],
    driver: () => ({
      run: async ({ code }, { write }) => {
        await write('stdout', Buffer.from(code))
        return { exitCode: 0 }
      },
    }),
  })
  return define(ask === undefined ? {} : { ask, agent: 'coder' })
}

/** The same, of a third party: it does not know `ask`. */
function thirdParty(): CodeExecutor {
  const inner = makeExecutor()
  const { name, capabilities, workDir } = inner
  const execute: CodeExecutor['execute'] = (given, { signal } = {}) => inner.execute(given, { signal })
  const nothing = async () => {}
  return {
    ...{ name, capabilities, workDir, execute },
    ...{ start: nothing, restart: nothing, stop: nothing, [Symbol.asyncDispose]: nothing },
  }
}

/** Notes who is asked, and gives the answer. */
function noting(asked: string[], name: string, answer: 'allow' | 'deny' = 'allow'): AskAbout<'code'> {
  return ({ agent }) => {
    asked.push(`${name} for ${agent}`)
    return answer
  }
}

describe('the option `ask`', () => {
  it('of a call is asked about its code', async () => {
    const asked: string[] = []
    const running = makeExecutor().execute(blocks, { ask: { code: noting(asked, 'call', 'deny') } })
    const types: string[] = []
    for await (const { type } of running) types.push(type)
    expect(await running).toMatchObject({ status: 'denied', exitCode: 126, blocks: [] })
    expect(types).toEqual(['approval-requested', 'approval-answered', 'notice', 'execution-end'])
    expect(asked).toEqual(['call for assistant'])
  })

  it('of an executor is asked in every call, and that of a call in its place', async () => {
    const asked: string[] = []
    const executor = makeExecutor({ code: noting(asked, 'executor') })
    expect(await executor.execute(blocks)).toMatchObject({ status: 'ok', output: 'one' })
    await executor.execute(blocks, { ask: { tool: () => 'deny' } })
    await executor.execute(blocks, { ask: { code: noting(asked, 'call') }, agent: 'other' })
    expect(asked).toEqual(['executor for coder', 'executor for coder', 'call for other'])
  })

  it('of a call leaves other kinds to the executor, and its time limit holds for all', async () => {
    const questions = new CodeQuestions(makeExecutor(), {
      ask: { code: () => 'deny', input: () => new Promise(() => {}), tool: () => 'deny' },
    })
    const { asker } = questions.asking({ ask: { code: () => 'allow', tool: undefined }, askTimeoutMs: 1 })
    expect(askKinds.filter((kind) => asker.has(kind))).toEqual(['code', 'tool', 'input'])
    const { signal } = new AbortController()
    const line = { prompt: '?', isSecret: false, executor: 'prints', blockIndex: 0 }
    const input = { kind: 'input', id: '1', digest: '', question: '?', ...line } as const
    expect(await asker.ask<'input'>(input, { signal })).toMatchObject({ decision: 'deny', isExpired: true })
    const call = {
      kind: 'tool',
      id: '2',
      digest: '',
      toolCallId: 'a',
      question: '?',
      tool: 'pay',
      input: {},
    } as const
    expect(await asker.ask<'tool'>(call, { signal })).toMatchObject({ decision: 'deny' })
    const limited = questions.asking({ askTimeoutMs: 1 }).asker.ask<'input'>(input, { signal })
    expect(await limited).toMatchObject({ isExpired: true })
  })

  it.each([
    ['of Fenced', makeExecutor],
    ['of a third party', thirdParty],
  ])('of `askingExecutor` is asked beside that of a call, for an executor %s', async (_, make) => {
    const asked: string[] = []
    const careful = askingExecutor(make(), { code: noting(asked, 'outer') })
    expect(await careful.execute(blocks)).toMatchObject({ status: 'ok', output: 'one' })
    expect(asked).toEqual(['outer for assistant'])
    const denying = { code: noting(asked, 'call', 'deny') }
    const { status } = await askingExecutor(careful, denying).execute(blocks)
    expect([status, asked.length]).toEqual(['denied', 2])
  })

  it('of `askingExecutor` and of the executor must both allow', async () => {
    const asked: string[] = []
    const executor = makeExecutor({ code: noting(asked, 'executor', 'deny') })
    const careful = askingExecutor(executor, { code: noting(asked, 'outer') })
    expect(await careful.execute(blocks)).toMatchObject({ status: 'denied' })
    expect(asked).toEqual(['outer for assistant', 'executor for coder'])
  })

  it.each<[string, CodeExecutor]>([
    ['an executor', makeExecutor()],
    ['an executor that asks', askingExecutor(makeExecutor(), () => 'allow')],
  ])('of the wrong shape is refused by %s', async (_, executor) => {
    const running = executor.execute(blocks, { ask: { codes: () => 'allow' } as never })
    await expect(running).rejects.toMatchObject({ code: 'INVALID_OPTIONS', data: { option: 'ask' } })
  })

  it('of an executor is not asked again about a question that was answered later', async () => {
    const asked: string[] = []
    const executor = makeExecutor({ code: noting(asked, 'executor') })
    let request: CodeApprovalRequest | undefined
    const code: AskAbout<'code'> = (given) => {
      request = given
      return { decision: 'deny', reason: 'Later.' }
    }
    await executor.execute(blocks, { ask: { code } })
    const saved = { request: request as CodeApprovalRequest, answer: { decision: 'allow' } as const }
    expect(await runApproved(executor, saved)).toMatchObject({ status: 'ok', output: 'one' })
    expect(asked).toEqual([])
  })

  it('takes the place of former names, which are answered by it', () => {
    const options = { approveTool: () => 'allow' } as never
    return expect(makeExecutor().execute(blocks, options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('`ask`'),
      data: { option: 'approveTool', suggestion: 'ask' },
    })
  })
})
