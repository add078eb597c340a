// Sends a question as `useChat` does. Prints whether output arrived while the program ran, and the answer.
import { DefaultChatTransport, readUIMessageStream } from 'ai'

const transport = new DefaultChatTransport({ api: `${process.argv[2]}/api/chat` })
const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Count slowly.' }] }]
const stream = await transport.sendMessages({ chatId: '1', messages, trigger: 'submit-message' })
let isStreamed = false
let answer
const onError = (error) => {
  throw error
}
for await (const { parts } of readUIMessageStream({ stream, onError, terminateOnError: true })) {
  const program = parts.find(({ type }) => type === 'tool-execute_code')
  if (program?.preliminary && !program.output.output.includes('3')) isStreamed = true
  answer = parts.findLast(({ type }) => type === 'text')?.text
}
console.log(isStreamed ? 'streamed' : 'not streamed')
console.log(answer)
