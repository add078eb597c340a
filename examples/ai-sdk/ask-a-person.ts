// Nothing runs before a person has read it. The question waits in the messages, so another process can answer it, too.
import { createInterface } from 'node:readline/promises'
import { codeExecutionTool, LocalCommandLineCodeExecutor, visibleCode } from '@fenced/executor-local'
import { type ModelMessage, type ToolApprovalResponse, ToolLoopAgent } from 'ai'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const agent = new ToolLoopAgent({
  model: 'anthropic/claude-sonnet-4.5',
  tools: { execute_code: codeExecutionTool(executor) },
  toolApproval: { execute_code: 'user-approval' },
})
const messages: ModelMessage[] = [{ role: 'user', content: 'How many files are in this directory?' }]
try {
  for (;;) {
    const { content, responseMessages, text } = await agent.generate({ messages })
    messages.push(...responseMessages)
    const answers: ToolApprovalResponse[] = []
    for (const part of content) {
      if (part.type !== 'tool-approval-request') continue
      console.log(visibleCode(Object(part.toolCall.input).code))
      const reply = await terminal.question('Run it? [y/N] ')
      const approved = reply.trim().toLowerCase() === 'y'
      answers.push({ type: 'tool-approval-response', approvalId: part.approvalId, approved })
    }
    if (answers.length === 0) {
      console.log(text)
      break
    }
    messages.push({ role: 'tool', content: answers })
  }
} finally {
  terminal.close()
  await executor.stop()
}
