// A server of the Model Context Protocol on stdin and stdout, as a program of its own.
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const server = new McpServer({ name: 'shop', version: '1.0.0' })
const prices = new Map([
  ['apple', 3],
  ['pear', 4],
])

server.registerTool(
  'get-price',
  {
    description: 'The price of a fruit.',
    inputSchema: z.object({ fruit: z.string(), currency: z.enum(['EUR', 'USD']).default('EUR') }),
    outputSchema: z.object({ price: z.number(), currency: z.string() }),
  },
  async ({ fruit, currency }) => {
    const price = prices.get(fruit)
    if (price === undefined)
      return { isError: true, content: [{ type: 'text', text: `There is no ${fruit}.` }] }
    const structuredContent = { price, currency }
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
  },
)

await server.connect(new StdioServerTransport())
