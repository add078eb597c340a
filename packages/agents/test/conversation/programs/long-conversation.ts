import { ConversableAgent } from '@fenced/agents'

/** Holds a conversation of 2,000 turns, and prints how much memory there was in use after every 500 of them. */
const collectGarbage = (globalThis as { gc?: () => void }).gc
const memory: number[] = []
const agent = (name: string) =>
  new ConversableAgent({
    name,
    humanInputMode: 'never',
    maxConsecutiveAutoReply: 1_000_000,
    defaultAutoReply: `This is ${name}, who has nothing else to say.`,
  })

const second = agent('second')
let turns = 0
second.registerReply(
  () => true,
  () => {
    if (++turns % 500 === 0) {
      collectGarbage?.()
      memory.push(process.memoryUsage().heapUsed)
    }
    return undefined
  },
)
const chat = agent('first').initiateChat(second, { message: 'Begin.', maxTurns: 2_000 })
let count = 0
for await (const { type } of chat) if (type === 'message') count++
const { messages } = await chat
process.stdout.write(JSON.stringify({ messages: count, kept: messages.length, memory }))
