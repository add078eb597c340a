import type { AskAbout, CodeExecutor } from '@fenced/core'
import {
  type BlockIo,
  type BlockOutcome,
  DriverExecutor,
  engineOptionsShape,
  parseOptions,
} from '@fenced/core/driver'
import { tool } from 'ai'
import { z } from 'zod'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import type { CodeExecutorAgentOptions } from '../../src/code-executor-agent/options.ts'
import { fence } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

/**
 * The engine over a place whose programs are lines of orders: `say <text>`, `raise <text>` (exit code 1), `exit <code>`,
 * `hang` until it is ended, `break` the place itself. Other lines are comments.
 */
class OrderExecutor extends DriverExecutor implements CodeExecutor {
  /** The code of every block that was run. */
  readonly ran: string[]
  /** How many programs run now. */
  readonly running: { count: number }

  constructor() {
    const ran: string[] = []
    const running = { count: 0 }
    super({
      name: 'orders',
      driver: {
        run: async ({ code }, io) => {
          ran.push(code.trimEnd())
          running.count++
          try {
            return await obey(code.split('\n'), io)
          } finally {
            running.count--
          }
        },
      },
      capabilities: {
        languages: ['python', 'sh'],
        isolation: 'container',
        isolationParticulars: { memoryBytes: 1_000 },
        installablePackages: ['numpy'],
        stateful: [],
        richOutput: false,
        network: 'none',
        limits: { memory: true, processes: false },
      },
      options: parseOptions(z.strictObject(engineOptionsShape), {}, 'the order executor'),
      stopGraceMs: 1_000,
    })
    this.ran = ran
    this.running = running
  }
}

async function obey(orders: readonly string[], io: BlockIo): Promise<BlockOutcome> {
  for (const order of orders) {
    const [verb, ...words] = order.split(' ')
    const text = words.join(' ')
    if (verb === 'say') await io.write('stdout', Buffer.from(`${text}\n`))
    if (verb === 'exit') return { exitCode: Number(text) }
    if (verb === 'break') throw new Error('the executor is gone')
    if (verb === 'raise') {
      await io.write('stderr', Buffer.from(`${text}\n`))
      return { exitCode: 1 }
    }
    if (verb === 'hang') {
      await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve()))
    }
  }
  return { exitCode: 0 }
}

/** An answer of a model: words, and a program of order lines. */
export const program = (...orders: readonly string[]): string =>
  `Here:\n${fence('python', orders.join('\n'))}`

/** What a model decides after a failure. */
export const decision = (retry: unknown, reason: string): string => JSON.stringify({ reason, retry })

type Script = ConstructorParameters<typeof ScriptedModel>[0]

/** An agent whose model says what the script says. */
export function solver(script: Script, options: Partial<CodeExecutorAgentOptions> = {}) {
  const model = new ScriptedModel(script)
  const executor = new OrderExecutor()
  const agent = new CodeExecutorAgent({ name: 'coder', executor, model, ...options })
  return { agent, model, executor, prompt: (call: number) => textOf(model.prompts[call] ?? []) }
}

/** One that only runs what others write. */
export function runner(options: Partial<CodeExecutorAgentOptions> = {}) {
  const executor = new OrderExecutor()
  return { executor, agent: new CodeExecutorAgent({ name: 'runner', executor, ...options }) }
}

/** An agent with a tool that needs no approval, and one that does; and which of them was called. */
export function toolUser(
  script: Script,
  approveTool: AskAbout<'tool'>,
  options: Pick<CodeExecutorAgentOptions, 'ledger'> = {},
) {
  const calls: string[] = []
  const inputSchema = z.object({ name: z.string() })
  const call =
    (verb: string) =>
    ({ name }: { name: string }) => {
      calls.push(`${verb} ${name}`)
      return `${verb}: ${name}`
    }
  const tools = {
    look: tool({ inputSchema, needsApproval: false, execute: call('look') }),
    remove: tool({ inputSchema, execute: call('remove') }),
  }
  return { ...solver(script, { tools, ask: { tool: approveTool }, ...options }), calls }
}

/** A script with one failing and one good program. */
export const secondTime: readonly string[] = [
  program('raise ValueError: no data'),
  decision(true, 'Read the other file.'),
  program('say 42'),
  'It is 42.',
]

type Prompt = ScriptedModel['prompts'][number]

/** What a model was asked, as lines of a role and a text. */
function textOf(prompt: Prompt): string[] {
  return prompt.map(({ role, content }) => {
    const parts =
      typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : ''))
    return `${role}: ${parts.join('')}`
  })
}

/** Everything that is iterated. */
export async function itemsOf<Item>(running: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of running) items.push(item)
  return items
}

/** Those of one type. */
export function ofType<Item extends { readonly type: string }, Type extends Item['type']>(
  items: readonly Item[],
  type: Type,
): Extract<Item, { type: Type }>[] {
  return items.filter((item): item is Extract<Item, { type: Type }> => item.type === type)
}

/** Types with the number of the try, and of what is more than that a word. */
export function outline(
  items: readonly { readonly type: string; readonly retryAttempt?: number }[],
): string[] {
  return items.map((item) => {
    const attempt = item.retryAttempt === undefined ? '' : ` ${item.retryAttempt}`
    return `${item.type}${attempt}${'plan' in item ? ' plan' : ''}`
  })
}
