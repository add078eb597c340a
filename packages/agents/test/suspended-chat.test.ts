import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApprovalQueue, fileLedger } from '@fenced/core'
import { tool } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ConversableAgentOptions } from '../src/agent/agent-options.ts'
import { AssistantAgent, UserProxyAgent } from '../src/conversable-agent/presets.ts'
import type { ChatResult } from '../src/event.ts'
import { EchoExecutor, fence } from '../src/reply/echo-executor.fixture.ts'
import type { QuestionAnswers } from '../src/running/questions.ts'
import { ScriptedHumanInput } from '../src/testing/scripted-human-input.ts'
import { type ScriptedAnswer, ScriptedModel } from '../src/testing/scripted-model.ts'

let path: string
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'fenced-suspend-'))
})
afterAll(() => rm(path, { recursive: true, force: true }))

interface Pair {
  readonly answers: readonly ScriptedAnswer[]
  readonly proxy?: Partial<ConversableAgentOptions>
  readonly assistant?: Partial<ConversableAgentOptions>
}

/** Two agents of one process. Their questions are answered nowhere but in `resumeChat`. */
function pair({ answers, ...options }: Pair) {
  const executor = new EchoExecutor()
  const ledger = fileLedger(path)
  const user = new UserProxyAgent({
    ...{ name: 'user', humanInputMode: 'never', ledger, ask: { code: new ApprovalQueue().ask } },
    ...{ codeExecutionConfig: { executor }, ...options.proxy },
  })
  const model = new ScriptedModel(answers)
  const assistant = new AssistantAgent({ name: 'assistant', model, ledger, ...options.assistant })
  return { user, assistant, executor, model }
}

const throughJson = <Value>(value: Value | undefined): Value => JSON.parse(JSON.stringify(value))

function answered({ questions = [] }: ChatResult, answer: QuestionAnswers[string]): QuestionAnswers {
  return Object.fromEntries(questions.map(({ request }) => [request.id, answer]))
}

const code = fence('python', 'print(1)')

describe('a conversation whose questions wait', () => {
  it('continues elsewhere as if it had not waited', async () => {
    const whole = pair({ answers: [code, 'It is 1.\nTERMINATE'], proxy: { ask: { code: () => 'allow' } } })
    const expected = await whole.user.initiateChat(whole.assistant, { message: 'What is it?' })
    const before = pair({ answers: [code] })
    const options = { message: 'What is it?', onQuestion: 'suspend' as const }
    const waiting = await before.user.initiateChat(before.assistant, options)
    expect(waiting).toMatchObject({
      ...{ status: 'waiting', stopReason: 'It waits for an answer.', summary: '' },
      questions: [{ agent: 'user', request: { kind: 'code' } }],
    })
    expect(before.executor.ran).toEqual([])
    const after = pair({ answers: ['It is 1.\nTERMINATE'] })
    const { status, messages, summary } = await after.user.resumeChat(
      after.assistant,
      throughJson(waiting.state),
      answered(waiting, 'allow'),
    )
    expect([status, summary, after.executor.ran]).toEqual(['done', expected.summary, ['print(1)']])
    const texts = (result: Pick<ChatResult, 'messages'>) =>
      result.messages.map(({ role, content }) => [role, content])
    expect(texts({ messages })).toEqual(texts(expected))
    expect(after.model.prompts[0]).toEqual(whole.model.prompts[1])
  })

  it('keeps its limits and counters', async () => {
    const { user, assistant } = pair({ answers: [code] })
    const options = { message: 'What is it?', maxTurns: 2, onQuestion: 'suspend' as const }
    const waiting = await user.initiateChat(assistant, options)
    const again = pair({ answers: [] })
    const state = throughJson(waiting.state)
    const second = await again.user.resumeChat(again.assistant, state, {})
    expect(second.status).toBe('waiting')
    expect(throughJson(second.state)).toEqual(state)
    const after = pair({ answers: ['Well.'] })
    const ended = await after.user.resumeChat(after.assistant, state, answered(waiting, 'allow'))
    expect(ended.stopReason).toBe('The maximum of 2 turns is reached.')
  })

  it('runs its program once, however many resume it', async () => {
    const { user, assistant } = pair({ answers: [code] })
    const options = { message: 'What is it?', onQuestion: 'suspend' as const }
    const waiting = await user.initiateChat(assistant, options)
    const pairs = [1, 2, 3].map(() => pair({ answers: ['TERMINATE'] }))
    await Promise.allSettled(
      pairs.map((each) =>
        each.user.resumeChat(each.assistant, throughJson(waiting.state), answered(waiting, 'allow')),
      ),
    )
    expect(pairs.flatMap(({ executor }) => executor.ran)).toHaveLength(1)
  })

  it('makes a call of a tool that waits, without asking the model again', async () => {
    const calls: unknown[] = []
    const options = () => {
      const execute = (input: object) => {
        calls.push(input)
        return 'removed'
      }
      const remove = tool({ inputSchema: z.object({ a: z.number() }), needsApproval: true, execute })
      return { assistant: { tools: { remove } } }
    }
    const asking: ScriptedAnswer = { toolCalls: [{ name: 'remove', input: { a: 1 } }] }
    const { user, assistant } = pair({ answers: [asking], ...options() })
    const begin = { message: 'Tidy up.', onQuestion: 'suspend' as const }
    const waiting = await user.initiateChat(assistant, begin)
    expect([waiting.status, calls]).toEqual(['waiting', []])
    const after = pair({ answers: ['Done.\nTERMINATE'], ...options() })
    const state = throughJson(waiting.state)
    const ended = await after.user.resumeChat(after.assistant, state, answered(waiting, 'allow'))
    expect([ended.summary, calls, after.model.prompts.length]).toEqual(['Done.', [{ a: 1 }], 1])
  })

  it('asks a person once, also where the code of the same turn waits', async () => {
    const humanInput = new ScriptedHumanInput([])
    const proxy = { humanInputMode: 'always' as const, humanInput }
    const { user, assistant } = pair({ answers: [code], proxy })
    const begin = { message: 'What is it?', onQuestion: 'suspend' as const }
    const first = await user.initiateChat(assistant, begin)
    expect(first.questions).toMatchObject([{ request: { kind: 'reply' } }])
    const second = pair({ answers: [], proxy })
    const state = throughJson(first.state)
    const again = await second.user.resumeChat(second.assistant, state, answered(first, ''))
    expect(again.questions).toMatchObject([{ request: { kind: 'code' } }])
    const third = pair({ answers: ['TERMINATE'], proxy })
    const last = await third.user.resumeChat(
      third.assistant,
      throughJson(again.state),
      answered(again, 'allow'),
    )
    expect([last.status, third.executor.ran]).toEqual(['waiting', ['print(1)']])
    expect(last.questions).toMatchObject([{ request: { kind: 'reply' } }])
  })

  it('refuses what is not data: the first message, and a function that replies', async () => {
    const proxy = { humanInputMode: 'always' as const }
    const { user, assistant } = pair({ answers: [], proxy })
    await expect(user.initiateChat(assistant, { onQuestion: 'suspend' })).rejects.toMatchObject({
      code: 'NOT_SUSPENDABLE',
      data: { agent: 'user', what: 'the first message' },
    })
    const other = pair({ answers: ['Hello?'], proxy })
    other.user.registerReply(
      () => true,
      async ({ chat }) => {
        const request = { id: crypto.randomUUID(), kind: 'reply', agent: 'user', prompt: '?' } as const
        return { reply: await chat.ask({ ...request, choices: [] }, new ScriptedHumanInput([])) }
      },
    )
    const options = { message: 'Hello.', onQuestion: 'suspend' as const }
    await expect(other.user.initiateChat(other.assistant, options)).rejects.toMatchObject({
      code: 'NOT_SUSPENDABLE',
      data: { agent: 'user', what: 'a reply function' },
    })
  })

  it('needs a ledger that other processes can reach, and a state of a conversation', async () => {
    const { user, assistant } = pair({ answers: [code], proxy: { ledger: undefined } })
    const options = { message: 'What is it?', onQuestion: 'suspend' as const }
    await expect(user.initiateChat(assistant, options)).rejects.toMatchObject({
      code: 'LEDGER_NOT_SHARED',
      data: { agent: 'user' },
    })
    const state = { type: 'Chat', version: 1 }
    await expect(user.resumeChat(assistant, state, {})).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })
})
