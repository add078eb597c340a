import { describe, expect, it } from 'vitest'
import type { ConversableAgentOptions } from '../agent/agent-options.ts'
import { speaker } from '../agent/agents.fixture.ts'
import type { MessageInput } from '../message/message.ts'
import { asking } from '../message/messages.fixture.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import type { EmptyAnswer } from './human-input.ts'

const runs = { action: 'run-code', programs: 1, isolation: 'none', network: 'none', ends: false } as const

/** What is shown to a person to whom a message is addressed. */
async function asked(message: MessageInput, options: Partial<ConversableAgentOptions> = {}) {
  const humanInput = new ScriptedHumanInput(['exit'])
  const codeExecutionConfig = { executor: new EchoExecutor(), ...options.codeExecutionConfig }
  const me = speaker('me', ['x'], { humanInputMode: 'always', humanInput, ...options, codeExecutionConfig })
  await speaker('partner').initiateChat(me, { message })
  return humanInput.requests[0]?.onEmpty
}

describe('what Enter does', () => {
  const call = { id: '1', name: 'add', input: {} }

  it('is known before the question', ({ everyRow }) =>
    everyRow<[string, MessageInput, Partial<ConversableAgentOptions>, EmptyAnswer]>(
      [
        ['code', fence('sh', 'ls'), {}, runs],
        ['two programs', `${fence('sh', 'ls')}\n${fence('python', 'x')}`, {}, { ...runs, programs: 2 }],
        ['a text', 'Hello.', {}, { action: 'reply' }],
        ['code in another language', fence('cobol', 'x'), {}, { ...runs, programs: 1 }],
        ['the last word', 'TERMINATE', {}, { action: 'end' }],
        ['the last word at the end', 'TERMINATE', { humanInputMode: 'terminate' }, { action: 'end' }],
        [
          'code at the limit',
          fence('sh', 'ls'),
          { humanInputMode: 'terminate', maxConsecutiveAutoReply: 0 },
          { action: 'reply' },
        ],
        [
          'code with the last word',
          `${fence('sh', 'ls')}\nTERMINATE`,
          { codeExecutionConfig: { executor: new EchoExecutor(), runBeforeTermination: true } },
          { ...runs, ends: true },
        ],
        ['a tool', asking('', call), {}, { action: 'call-tools' }],
      ],
      async (_, message, options, expected) => {
        expect(await asked(message, options)).toEqual(expected)
      },
    ))
})
