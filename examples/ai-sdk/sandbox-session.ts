// A custom tool that reads, writes and runs in a sandbox, which the AI SDK passes to every tool.
import { toSandboxSession } from '@fenced/ai-sdk'
import { LocalSandbox } from '@fenced/sandbox-local'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'

const sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
await sandbox.start()
try {
  const { text } = await generateText({
    model: 'anthropic/claude-sonnet-4.5',
    prompt: 'How many words are in "one two three"?',
    experimental_sandbox: toSandboxSession(sandbox),
    tools: {
      count_words: tool({
        inputSchema: jsonSchema<{ text: string }>({
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
        }),
        execute: async ({ text: words }, { experimental_sandbox: session }) => {
          await session?.writeTextFile({ path: 'text.txt', content: words })
          const counted = await session?.run({ command: 'wc -w < text.txt' })
          return counted?.stdout.trim()
        },
      }),
    },
    stopWhen: isStepCount(3),
  })
  console.log(text)
} finally {
  await sandbox.stop()
}
