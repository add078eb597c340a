import { setImmediate as nextRequest } from 'node:timers/promises'
import { ConversableAgent } from '@fenced/agents'

/** Has one agent in conversations with 2,500 partners, each of which says 100 KB, and prints what the agent still has of them. */
const agent = (name: string, says: string) =>
  new ConversableAgent({ name, humanInputMode: 'never', defaultAutoReply: says })

const server = agent('server', 'Received.')
const first = agent('first', '')
await first.initiateChat(server, { message: 'The first one.', maxTurns: 1 })
for (let request = 0; request < 2_500; request++) {
  const message = Buffer.alloc(100_000, `${request} `).toString('latin1')
  await nextRequest()
  await agent('partner', 'Nothing more.').initiateChat(server, { message, maxTurns: 1 })
}
const kept = [...server.chatMessages.values()]
const newest = kept.at(-1)?.[0]?.content
process.stdout.write(
  JSON.stringify({
    partners: kept.length,
    newest: String(newest).slice(0, 4),
    first: server.lastMessage(first)?.content,
    ofFirst: first.lastMessage()?.content,
  }),
)
