// An assistant with custom tools, one of which needs approval.
import { AssistantAgent, UserProxyAgent } from '@fenced/agents'
import { tool } from 'ai'
import { z } from 'zod'

const stock = new Map([
  ['tea', 3],
  ['milk', 0],
])
const assistant = new AssistantAgent({
  name: 'assistant',
  model: 'anthropic/claude-sonnet-4.5',
  tools: {
    stock: tool({
      description: 'How many pieces of each thing there are.',
      inputSchema: z.object({}),
      needsApproval: false,
      execute: () => Object.fromEntries(stock),
    }),
    order: tool({
      description: 'Orders pieces of a thing.',
      inputSchema: z.object({ thing: z.string(), pieces: z.int().min(1) }),
      execute: ({ thing, pieces }) => `${pieces} of ${thing} ordered`,
    }),
  },
  ask: {
    tool: ({ question }) => {
      console.log(question)
      return { decision: 'allow' }
    },
  },
})
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'never' })
const { summary } = await user.initiateChat(assistant, { message: 'Order what is missing.', maxTurns: 1 })
console.log(summary)
