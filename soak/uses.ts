import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApprovalQueue,
  askingExecutor,
  type CodeBlock,
  type CodeExecutor,
  type ExecuteOptions,
  type Execution,
  shareReplay,
} from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

type Execute = (blocks: readonly CodeBlock[], options?: ExecuteOptions) => Execution

/** Answer of the server that programs reach through a network list. */
const answer = 'reached'

/** An executor in which each Python program makes a request through the network list. */
export async function withNetworkList(timeoutMs: number, stack: AsyncDisposableStack): Promise<CodeExecutor> {
  const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const network = {
    allowedHosts: ['localhost'],
    allowedCIDRs: ['127.0.0.1/32'],
    ports: [port],
  } as const
  const executor = new LocalCommandLineCodeExecutor({ timeoutMs, isolation: 'bubblewrap', network })
  const request = `GET http://localhost:${port}/ HTTP/1.1\\r\\nHost: localhost:${port}\\r\\nConnection: close\\r\\n\\r\\n`
  return withExecute(
    executor,
    (execute) => (blocks, options) =>
      execute(
        behind(blocks, [
          'import socket',
          "with socket.create_connection(('127.0.0.1', 3128)) as connection:",
          `    connection.sendall(b'${request}')`,
          "    reply = b''.join(iter(lambda: connection.recv(4096), b''))",
          `assert reply.endswith(b'${answer}'), reply`,
        ]),
        options,
      ),
  )
}

/** Each Python program calls a function of this process. */
export function withTools(executor: CodeExecutor): CodeExecutor {
  const tools = { double: ({ number }: { number: number }) => number * 2 }
  const lines = ['import tools', 'assert tools.double(number=21) == 42']
  return withExecute(
    executor,
    (execute) => (blocks, options) => execute(behind(blocks, lines), { ...options, tools }),
  )
}

/** Every execution is approved through a queue. */
export function withApproval(executor: CodeExecutor, stack: AsyncDisposableStack): CodeExecutor {
  const questions = new ApprovalQueue()
  const end = new AbortController()
  const answering = allowAll(questions, end.signal)
  stack.defer(() => {
    end.abort()
    return answering
  })
  return askingExecutor(executor, questions)
}

async function allowAll(questions: ApprovalQueue, signal: AbortSignal): Promise<void> {
  for await (const event of questions.events({ signal }))
    if (event.type === 'approval-requested') questions.answer(event.request.id, { decision: 'allow' })
}

/** Two more readers have all events of each execution. */
export function withReplay(executor: CodeExecutor): CodeExecutor {
  return withExecute(executor, (execute) => (blocks, options) => {
    const shared = shareReplay(execute(blocks, options), { maxBytes: 2 ** 24 })
    const result = Promise.all([shared, countOf(shared), countOf(shared)]).then(([result, one, other]) => {
      if (one !== other) throw new Error(`A reader has ${one} events, and another has ${other}.`)
      return result
    })
    result.catch(() => {})
    return Object.assign(result, {
      cancel: () => shared.cancel(),
      [Symbol.asyncIterator]: () => shared[Symbol.asyncIterator](),
    })
  })
}

async function countOf(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of events) count += 1
  return count
}

/** The same blocks; those in Python begin with these lines. */
function behind(blocks: readonly CodeBlock[], lines: readonly string[]): CodeBlock[] {
  return blocks.map((block) =>
    block.language === 'python' ? { ...block, code: [...lines, block.code].join('\n') } : block,
  )
}

/** Replaces `execute` of an executor. */
function withExecute(executor: CodeExecutor, change: (execute: Execute) => Execute): CodeExecutor {
  executor.execute = change(executor.execute.bind(executor))
  return executor
}
