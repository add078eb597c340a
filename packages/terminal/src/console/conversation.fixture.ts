import { type AgentEvent, createMessage, type EventOf } from '@fenced/agents'
import { createEvent, type EventInit, humanInputRequest } from '@fenced/agents/testing'
import type { CodeBlock, CodeResult } from '@fenced/core'

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, byModel: {} }

export function said(agent: string, recipient: string, content: string): EventOf<'message'> {
  return createEvent({
    type: 'message',
    agent,
    recipient,
    message: createMessage({ role: 'assistant', source: agent, origin: 'model', content }),
  })
}

export function codeEnd(agent: string, output: string): EventOf<'code-end'> {
  const isolation = { kind: 'none', network: 'open', particulars: {} } as const
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
  return createEvent({ type: 'code-end', agent, retryAttempt: 0, result, content: output })
}

export const chatStart: EventOf<'chat-start'> = createEvent({
  type: 'chat-start',
  agent: 'code_executor',
  recipient: 'code_writer',
})

export const chatEnd: EventOf<'chat-end'> = createEvent({
  type: 'chat-end',
  agent: 'code_executor',
  recipient: 'code_writer',
  result: {
    status: 'done',
    text: '',
    files: [],
    messages: [],
    summary: '233',
    summaryOrigin: 'model',
    usage,
    humanInput: [],
    stopReason: '',
  },
})

const block: CodeBlock = { language: 'python', code: 'print(233)\n' }
const answer = 'Each number is the sum of the two before.\n\n```python\nprint(233)\n```\n\nPlease run it.'
const reply = 'exitcode: 0 (execution succeeded)\nCode output: \n233\n'
const goodbye = 'It is 233.\n\nTERMINATE'

const question = humanInputRequest({
  kind: 'reply',
  agent: 'code_executor',
  prompt: 'Replying as code_executor',
})

/** A person confirms each time, as in the tutorial. */
export const fibonacci: readonly AgentEvent[] = (
  [
    chatStart,
    said('code_executor', 'code_writer', 'Compute the 14th Fibonacci number.'),
    { type: 'auto-reply', agent: 'code_writer' },
    { type: 'text-delta', agent: 'code_writer', text: answer.slice(0, 30) },
    { type: 'text-delta', agent: 'code_writer', text: answer.slice(30) },
    said('code_writer', 'code_executor', answer),
    { type: 'human-input-requested', agent: 'code_executor', request: question },
    { type: 'human-input-answered', agent: 'code_executor', requestId: question.id, text: '' },
    { type: 'no-human-input', agent: 'code_executor' },
    { type: 'auto-reply', agent: 'code_executor' },
    { type: 'code-start', agent: 'code_executor', blocks: [block] },
    {
      type: 'code',
      agent: 'code_executor',
      retryAttempt: 0,
      event: { type: 'block-start', index: 0, block },
    },
    {
      type: 'code',
      agent: 'code_executor',
      retryAttempt: 0,
      event: { type: 'stdout', index: 0, text: '233\n' },
    },
    codeEnd('code_executor', '233\n'),
    said('code_executor', 'code_writer', reply),
    { type: 'auto-reply', agent: 'code_writer' },
    said('code_writer', 'code_executor', goodbye),
    {
      type: 'termination',
      agent: 'code_executor',
      reason: 'The person behind code_executor asked to end it.',
    },
    chatEnd,
  ] satisfies EventInit[]
).map(createEvent)

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
