import { ApprovalQueue, type AskByKind } from '@fenced/core'
import { ToolLoopAgent, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CodeExecutorAgent } from '../src/code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../src/conversable-agent/presets.ts'
import { calls, mockModel, says } from '../src/model/mock-model.fixture.ts'
import { EchoExecutor } from '../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../src/team/as-chat-agent.ts'

/** A server whose models number their calls from 0, and the calls that were made. */
function removing(file: string, removed: string[]) {
  const model = mockModel(
    'm',
    calls({ id: 'call_0', name: 'remove', input: JSON.stringify({ file }) }),
    says('Done.\nTERMINATE'),
  )
  const execute = ({ file }: { file: string }) => {
    removed.push(file)
    return 'removed'
  }
  const remove = tool({ inputSchema: z.object({ file: z.string() }), needsApproval: true, execute })
  return { model, tools: { remove } }
}

type Made = ReturnType<typeof removing> & { readonly ask: AskByKind }

const kinds: readonly [string, (made: Made) => PromiseLike<unknown>][] = [
  ['AssistantAgent', (made) => chat(new AssistantAgent({ name: 'assistant', ...made }))],
  [
    'CodeExecutorAgent',
    (made) => new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), ...made }).run('Go.'),
  ],
  [
    'asChatAgent(ToolLoopAgent)',
    ({ ask, ...made }) => asChatAgent(new ToolLoopAgent({ id: 'a', ...made }), { ask }).run('Go.'),
  ],
]

function chat(assistant: AssistantAgent) {
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'never' })
  return user.initiateChat(assistant, { message: 'Go.', maxTurns: 1 })
}

describe('models that use the same id for different calls', () => {
  it.each(kinds)('get the answer to their own call from a shared queue: %s', async (_, run) => {
    const questions = new ApprovalQueue()
    const removed: string[] = []
    const running = ['good', 'bad'].map((file) =>
      run({ ...removing(file, removed), ask: { tool: questions.ask } }),
    )
    await expect.poll(() => questions.pending.length).toBe(2)
    for (const request of questions.pending) {
      expect(request).toMatchObject({ kind: 'tool', toolCallId: 'call_0' })
      const isGood = JSON.stringify(request).includes('good')
      questions.answer(request.id, isGood ? { decision: 'allow' } : { decision: 'deny', reason: 'No.' })
    }
    await Promise.all(running)
    expect(removed).toEqual(['good'])
  })
})
