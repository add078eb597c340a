import type { CodeBlock, CodeResult } from '@fenced/core'
import type { ChatEvent } from '../chat/chat-event.ts'

type Event<Type extends ChatEvent['type']> = Extract<ChatEvent, { type: Type }>

export function said(sender: string, recipient: string, content: string): Event<'message'> {
  return { type: 'message', sender, recipient, message: { role: 'assistant', content } }
}

export function codeEnd(agent: string, output: string): Event<'code-end'> {
  const isolation = { kind: 'none', network: true, particulars: {} } as const
  const result: CodeResult = {
    status: 'ok',
    exitCode: 0,
    output,
    blocks: [],
    files: [],
    durationMs: 1,
    queuedMs: 0,
    isolation,
  }
  return { type: 'code-end', agent, result }
}

export const chatStart: Event<'chat-start'> = {
  type: 'chat-start',
  sender: 'code_executor',
  recipient: 'code_writer',
}

export const chatEnd: Event<'chat-end'> = {
  type: 'chat-end',
  sender: 'code_executor',
  recipient: 'code_writer',
  result: {
    status: 'done',
    text: '',
    files: [],
    chatHistory: [],
    summary: '233',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel: {} },
    humanInput: [],
    stopReason: '',
  },
}

const block: CodeBlock = { language: 'python', code: 'print(233)\n' }
const answer = 'Each number is the sum of the two before.\n\n```python\nprint(233)\n```\n\nPlease run it.'
const reply = 'exitcode: 0 (execution succeeded)\nCode output: \n233\n'
const goodbye = 'It is 233.\n\nTERMINATE'

/** A person confirms each time, as in the tutorial. */
export const fibonacci: readonly ChatEvent[] = [
  chatStart,
  said('code_executor', 'code_writer', 'Compute the 14th Fibonacci number.'),
  { type: 'auto-reply', agent: 'code_writer' },
  { type: 'model', agent: 'code_writer', event: { type: 'text-delta', text: answer.slice(0, 30) } },
  { type: 'model', agent: 'code_writer', event: { type: 'text-delta', text: answer.slice(30) } },
  said('code_writer', 'code_executor', answer),
  { type: 'human-input-request', request: { agent: 'code_executor', prompt: 'Replying as code_executor' } },
  { type: 'human-input', agent: 'code_executor', text: '' },
  { type: 'no-human-input', agent: 'code_executor' },
  { type: 'auto-reply', agent: 'code_executor' },
  { type: 'code-start', agent: 'code_executor', blocks: [block] },
  { type: 'code', agent: 'code_executor', event: { type: 'block-start', index: 0, block } },
  { type: 'code', agent: 'code_executor', event: { type: 'stdout', index: 0, text: '233\n' } },
  codeEnd('code_executor', '233\n'),
  said('code_executor', 'code_writer', reply),
  { type: 'auto-reply', agent: 'code_writer' },
  said('code_writer', 'code_executor', goodbye),
  { type: 'termination', agent: 'code_executor', reason: 'The person behind code_executor asked to end it.' },
  chatEnd,
]

const line = '-'.repeat(80)

/** The blank lines are the tutorial's. */
export const fibonacciTranscript = `code_executor (to code_writer):

Compute the 14th Fibonacci number.

${line}

>>>>>>>> USING AUTO REPLY...
code_writer (to code_executor):

Each number is the sum of the two before.

\`\`\`python
print(233)
\`\`\`

Please run it.

${line}

>>>>>>>> NO HUMAN INPUT RECEIVED.

>>>>>>>> USING AUTO REPLY...

>>>>>>>> EXECUTING CODE BLOCK (inferred language is python)...
code_executor (to code_writer):

exitcode: 0 (execution succeeded)
Code output: 
233


${line}

>>>>>>>> USING AUTO REPLY...
code_writer (to code_executor):

It is 233.

TERMINATE

${line}
`
