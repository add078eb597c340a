import { ConversableAgent, type ConversableAgentOptions } from '@fenced/agents'
import { generateModelReply } from '@fenced/agents/reply'
import type { CodeBlock, CodeExecutor, CodeResult, ExecutionEvent } from '@fenced/core'
import { Running } from '@fenced/core/internal'
// @boundaries-ignore The executor of this bench has its own events; no package exports it.
import { EventSource } from '../packages/core/src/running/running.ts'
import type { Bench } from './measure.ts'
import { beside, type Contender, compare, type TimedElsewhere } from './measure.ts'
import { PythonDriver } from './processes.ts'

/** As long as an answer without code often is. */
export const answer = 'The sum of the first ten prime numbers is 129, as the program has printed. '.repeat(4)

/** The same with a program. */
export const answerWithCode = `${answer}

\`\`\`python
primes = []
candidate = 2
while len(primes) < 10:
    if all(candidate % prime for prime in primes):
        primes.append(candidate)
    candidate += 1
print(sum(primes))
\`\`\`
`

/** Runs nothing, and has the same result but for a number: agents end a conversation whose program prints the same again and again. */
export const cannedExecutor: CodeExecutor = {
  name: 'canned',
  capabilities: {
    languages: ['python'],
    isolation: 'none',
    stateful: [],
    richOutput: false,
    network: 'none',
    limits: { memory: false, processes: false },
  },
  workDir: undefined,
  start: async () => {},
  restart: async () => {},
  stop: async () => {},
  execute: (blocks) => execution(resultOf(blocks)),
  [Symbol.asyncDispose]: async () => {},
}

function execution(result: CodeResult): ReturnType<CodeExecutor['execute']> {
  return new Running({ result: Promise.resolve(result), events: new CannedEvents(result), cancel: () => {} })
}

class CannedEvents extends EventSource<ExecutionEvent> {
  readonly #result: CodeResult

  constructor(result: CodeResult) {
    super()
    this.#result = result
  }

  override async *read(): AsyncGenerator<ExecutionEvent, undefined, undefined> {
    yield { type: 'execution-end', result: this.#result }
  }

  override release(): void {}
}

let runs = 0

function resultOf(blocks: readonly CodeBlock[]): CodeResult {
  if (blocks.length !== 1) throw new Error(`${blocks.length} blocks were found instead of one.`)
  return {
    status: 'ok',
    exitCode: 0,
    output: `129 (run ${runs++})\n`,
    blocks: [],
    files: [],
    durationMs: 0,
    queuedMs: 0,
    isolation: { kind: 'none', network: 'none', particulars: {} },
  }
}

export interface ChatsOptions {
  /** Fixed reply of the assistant. The other agent runs its code. */
  readonly text: string
  /** Of each conversation. */
  readonly messages: number
  readonly chats: number
}

/**
 * Conversations of two agents, with a fixed text where others ask a model, and a fixed result where others run code.
 * Everything else is as it always is.
 *
 * @returns how long a message took.
 */
export async function cannedChats(
  { text, messages, chats }: ChatsOptions,
  { iterated = false } = {},
): Promise<TimedElsewhere> {
  const common = { humanInputMode: 'never', maxConsecutiveAutoReply: messages } as const
  const sender = agent({ ...common, name: 'sender', codeExecutionConfig: { executor: cannedExecutor } }, text)
  const recipient = agent({ ...common, name: 'recipient' }, text)
  let count = 0
  const startedAt = performance.now()
  for (let index = 0; index < chats; index++) {
    const chat = sender.initiateChat(recipient, { message: 'What is it?', maxTurns: messages / 2 })
    if (iterated) for await (const _ of chat);
    count += (await chat).messages.length
  }
  const tookMs = (performance.now() - startedAt) / count
  if (count !== messages * chats) throw new Error(`${count} messages instead of ${messages * chats}.`)
  return { tookMs }
}

function agent(options: ConversableAgentOptions, text: string): ConversableAgent {
  const agent = new ConversableAgent(options)
  agent.replaceReplyFunction(generateModelReply, () => ({ reply: text }))
  return agent
}

interface Answer extends TimedElsewhere {
  /** How many messages there were. */
  readonly count: number
}

/** The same conversations with agents of another library, in a resident Python. */
export class PeerChats implements AsyncDisposable {
  readonly #driver: PythonDriver

  /** `program` is the Python file that holds them. */
  static async open(python: string, program: URL): Promise<PeerChats> {
    return new PeerChats(await PythonDriver.open(python, program))
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** @returns how long a message took. */
  async converse(options: ChatsOptions): Promise<TimedElsewhere> {
    const { tookMs, count } = await this.#driver.ask<Answer>(options)
    const expected = options.messages * options.chats
    if (count !== expected) throw new Error(`${count} messages instead of ${expected}.`)
    return { tookMs: tookMs / count }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}

const short = { text: answer, messages: 100, chats: 16 }
const long = { text: answer, messages: 1_600, chats: 1 }
const longWithCode = { ...long, text: answerWithCode }
const longer = { text: answer, messages: 10_000, chats: 1 }

/** What agents add to every message, in conversations of three lengths, beside AG2 and AutoGen. */
export const agentsBench: Bench = async ({ rounds, ag2: ag2Python, autogen: autogenPython }) => {
  await using stack = new AsyncDisposableStack()
  const contenders: Record<string, Contender> = {
    // As many messages of all lengths: the next collection of garbage is as near.
    short: () => cannedChats({ ...short, chats: 200 }),
    long: () => cannedChats({ ...long, chats: 12 }),
    longRead: () => cannedChats({ ...long, chats: 12 }, { iterated: true }),
    longWithCode: () => cannedChats({ ...longWithCode, chats: 12 }),
    longer: () => cannedChats({ ...longer, chats: 2 }),
  }
  if (ag2Python !== undefined) {
    const ag2 = stack.use(await PeerChats.open(ag2Python, new URL('./peers/ag2-chats.py', import.meta.url)))
    contenders.ag2Short = () => ag2.converse(short)
    contenders.ag2Long = () => ag2.converse(long)
    contenders.ag2LongWithCode = () => ag2.converse(longWithCode)
  }
  if (autogenPython !== undefined) {
    const program = new URL('./peers/autogen-chats.py', import.meta.url)
    const autogen = stack.use(await PeerChats.open(autogenPython, program))
    contenders.autogenShort = () => autogen.converse(short)
    contenders.autogenLong = () => autogen.converse(long)
  }
  const times = await compare({ rounds: rounds ?? 10, warmUpRounds: 2, contenders })
  const rows = [
    { measured: 'a message of 100 ÷ AG2', ours: times.short, reference: times.ag2Short, goal: 0.5 },
    { measured: 'a message of 1,600 ÷ AG2', ours: times.long, reference: times.ag2Long, goal: 0.5 },
    {
      measured: 'a message of 1,600, whose events are read ÷ AG2',
      ours: times.longRead,
      reference: times.ag2Long,
    },
    {
      measured: 'a message of 1,600, with code in every other one ÷ AG2',
      ours: times.longWithCode,
      reference: times.ag2LongWithCode,
      goal: 0.5,
    },
    { measured: 'a message of 100 ÷ AutoGen', ours: times.short, reference: times.autogenShort },
    { measured: 'a message of 1,600 ÷ AutoGen', ours: times.long, reference: times.autogenLong },
    { measured: 'a message of 10,000 ÷ one of 100', ours: times.longer, reference: times.short, goal: 1.3 },
  ]
  return rows.flatMap(beside)
}
