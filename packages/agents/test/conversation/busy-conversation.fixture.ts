import { z } from 'zod'
import type { Chat } from '../../src/agent/chat-context.ts'
import { registerFunction } from '../../src/agent/registered-functions.ts'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { UserProxyAgent } from '../../src/conversable-agent/presets.ts'
import type { ChatResult } from '../../src/event.ts'
import { type Message, textOf } from '../../src/message/message.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedHumanInput } from '../../src/testing/scripted-human-input.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

/** Two agents in whose conversation there is everything: a person, a model, tools, code, a nested one, a summary. */
export function busyConversation() {
  const calls = { toolCalls: [1, 2].map((n) => ({ name: 'count', input: { n } })) }
  const script = [
    `Try this:\n\n${fence('python', 'hello')}`,
    calls,
    'Ask the other one.',
    'Done.\nTERMINATE',
    'It went well.',
  ]
  const model = new ScriptedModel((call) => script[call % script.length] ?? '')
  const writer = new ConversableAgent({ name: 'writer', humanInputMode: 'never', model })
  const executor = new EchoExecutor()
  const person = new ScriptedHumanInput(() => '')
  const user = new UserProxyAgent({ name: 'user', humanInput: person, codeExecutionConfig: { executor } })
  const inner = new ConversableAgent({ name: 'inner', humanInputMode: 'never', defaultAutoReply: 'Go on.' })
  const running = { tools: 0 }
  registerFunction(
    {
      name: 'count',
      inputSchema: z.object({ n: z.number() }),
      execute: async function* ({ n }: { n: number }) {
        running.tools++
        try {
          for (let i = 0; i <= n; i++) yield i
        } finally {
          running.tools--
        }
      },
    },
    { caller: writer, executor: user },
  )
  user.registerReply(
    'writer',
    async ({ messages, chat }) => {
      if (!isAsking(messages.at(-1))) return undefined
      await chat.emit({ type: 'notice', agent: 'user', notice: { code: 'asking', message: 'It asks.' } })
      return undefined
    },
    { position: 1 },
  )
  user.registerNestedChats([{ recipient: inner, maxTurns: 1, message: 'What now?' }], {
    trigger: (sender) => sender === writer && isAsking(user.lastMessage(writer)),
    position: 2,
  })
  const begin = (signal?: AbortSignal): Chat<ChatResult> =>
    user.initiateChat(writer, { message: 'begin', signal, summaryMethod: 'reflection_with_llm' })
  return { begin, user, writer, executor, person, running }
}

const isAsking = (message: Message | undefined) => message !== undefined && textOf(message).startsWith('Ask')
