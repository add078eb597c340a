import { describe, expect, it } from 'vitest'
import type { ConversableAgentOptions } from '../agent/agent-options.ts'
import { speaker } from '../agent/agents.fixture.ts'
import type { MessageInput } from '../message/message.ts'
import { asking } from '../message/messages.fixture.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { type EmptyAnswer, humanInputRequest } from './human-input.ts'
import { plainQuestion } from './terminal-human-input.ts'

const runs = { action: 'run-code', programs: 1, isolation: 'none', network: false, ends: false } as const

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

describe('a plain question', () => {
  const request = humanInputRequest({
    kind: 'reply',
    agent: 'user',
    partner: 'assistant',
    prompt: 'Replying as user.',
  })

  it.each<[EmptyAnswer, string]>([
    [{ ...runs, network: true }, 'Enter runs it on this machine, not isolated.'],
    [
      { ...runs, isolation: 'container', programs: 3 },
      'Enter runs the 3 programs in a container, without network.',
    ],
    [
      { ...runs, isolation: 'sandbox', network: true, ends: true },
      'Enter runs it in a sandbox, with the network, and ends the conversation.',
    ],
    [{ action: 'call-tools' }, 'Enter calls the tools.'],
    [{ action: 'reply' }, 'Enter goes on.'],
    [{ action: 'end' }, 'Enter ends the conversation.'],
  ])('of %o', (onEmpty, sentence) => {
    expect(plainQuestion({ ...request, onEmpty }, 80)).toBe(
      `${sentence}\nA text answers assistant, exit ends: `,
    )
  })

  it('fits a narrow terminal', () => {
    expect(plainQuestion({ ...request, onEmpty: { ...runs, network: true } }, 40)).toBe(
      'Enter runs it on this machine, not\nisolated.\nA text answers assistant, exit ends: ',
    )
  })

  it('is the one that was asked where it is not known what Enter does', () => {
    expect(plainQuestion({ ...request, prompt: 'Why?\nWell? ' }, 80)).toBe('Why?\nWell? ')
  })
})
