// Asks a model; a program that it wants to run waits for approval in the messages, which are kept in a file.
// With an answer, `yes` or `no`, it continues with the messages of that file instead.
import { readFile, writeFile } from 'node:fs/promises'
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount, type ModelMessage, type ToolApprovalResponse } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

const [file = '', workDir = '', answer] = process.argv.slice(2)
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const input = JSON.stringify({ language: 'sh', code: 'touch ran; echo $((6 * 7))' })
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1)
    const isAnswered = last?.role === 'tool'
    return {
      content: isAnswered
        ? [{ type: 'text', text: JSON.stringify(last.content) }]
        : [{ type: 'tool-call', toolCallId: 'one', toolName: 'execute_code', input }],
      finishReason: isAnswered
        ? { unified: 'stop', raw: 'stop' }
        : { unified: 'tool-calls', raw: 'tool-calls' },
      usage,
      warnings: [],
    }
  },
})

const executor = new LocalCommandLineCodeExecutor({ workDir })
const messages: ModelMessage[] =
  answer === undefined
    ? [{ role: 'user', content: 'How much is six times seven?' }]
    : JSON.parse(await readFile(file, 'utf8'))
if (answer !== undefined) messages.push({ role: 'tool', content: [responseTo(messages)] })
const { responseMessages, text } = await generateText({
  model,
  messages,
  tools: { execute_code: codeExecutionTool(executor) },
  toolApproval: { execute_code: 'user-approval' },
  stopWhen: isStepCount(3),
})
await executor.stop()
await writeFile(file, JSON.stringify([...messages, ...responseMessages]))
process.stdout.write(text)

function responseTo(asked: readonly ModelMessage[]): ToolApprovalResponse {
  const last = asked.at(-1)
  const parts = last?.role === 'assistant' && typeof last.content !== 'string' ? last.content : []
  const request = parts.find((part) => part.type === 'tool-approval-request')
  return { type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: answer === 'yes' }
}
