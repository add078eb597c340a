import type { CodeBlock } from '@fenced/markdown'
import type { ExecutorCapabilities } from '../code-executor.ts'
import type { ExecutionEvent } from '../execution.ts'
import type { SandboxNetwork } from '../network/network-observer.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { HostWorkDirectory } from '../work-directory/host-work-directory.ts'
import { z } from '../zod.ts'
import type { BlockIo, BlockOutcome, Driver, PackageManager, PreparedBlock, StartContext } from './driver.ts'
import { DriverExecutor } from './driver-executor.ts'
import { type EngineOptions, engineOptionsShape } from './options.ts'

/** What a block does: a driver's `run` without a sandbox. */
export type Program = (io: BlockIo, block: PreparedBlock) => Promise<BlockOutcome>

export const ok: BlockOutcome = { exitCode: 0 }

/** Programs for faults and moments that no real process produces on demand. A block's code is a program's name. */
const programs = {
  ok: async () => ok,
  fail: async () => ({ exitCode: 3 }),
  hello: async (io) => {
    await io.write('stdout', Buffer.from('hello\n'))
    return ok
  },
  /** Runs until it is stopped, and stops. */
  endless: (io) => stopped(io.signal).then(() => ok),
  /** Runs until it is stopped and says so with an error, as `fetch` and timers do. */
  throwingWhenStopped: async (io) => {
    await stopped(io.signal)
    throw new Error('AbortError')
  },
  /** Does not hear the signal. */
  deaf: () => new Promise<BlockOutcome>(() => {}),
  throwing: async (io) => {
    await io.write('stdout', Buffer.from('before\n'))
    throw new Error('the daemon is gone')
  },
  dying: async () => ({ status: 'died' }),
} satisfies Record<string, Program>

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export interface FakeOptions {
  readonly programs?: Record<string, Program>
  readonly start?: (context: StartContext) => Promise<void>
  readonly prepare?: (context: StartContext) => Promise<void>
  readonly stop?: () => Promise<void>
  readonly workDirectory?: HostWorkDirectory
  readonly takesText?: boolean
  readonly packages?: PackageManager
  readonly network?: SandboxNetwork
  readonly capabilities?: Partial<ExecutorCapabilities>
  readonly options?: Partial<z.input<z.ZodObject<typeof engineOptionsShape>>>
  readonly stopGraceMs?: number
  readonly startTimeoutMs?: number
  readonly prepareTimeoutMs?: number
  readonly stopTimeoutMs?: number
}

/** The options that every executor has, with every default filled in. */
export function engineOptions(options: FakeOptions['options'] = {}): EngineOptions {
  return parseOptions(z.strictObject(engineOptionsShape), options, 'the fake executor')
}

/** An executor over a driver that does what its test says; `steps` notes what the engine asked it for. */
export function fakeExecutor(fake: FakeOptions = {}) {
  const steps: string[] = []
  const known: Record<string, Program> = { ...programs, ...fake.programs }
  const driver: Driver = {
    ...(fake.workDirectory === undefined ? {} : { workDirectory: fake.workDirectory }),
    takesText: fake.takesText ?? false,
    ...(fake.packages === undefined ? {} : { packages: fake.packages }),
    network: fake.network,
    async start(context) {
      steps.push('start')
      await fake.start?.(context)
    },
    async prepare(_language, context) {
      if (fake.prepare === undefined) return
      steps.push('prepare')
      await fake.prepare(context)
    },
    run(block, io) {
      const name = block.code.trim()
      steps.push(`run ${name}`)
      const program = known[name]
      if (program === undefined) throw new Error(`There is no program "${name}".`)
      return program(io, block)
    },
    async stop() {
      steps.push('stop')
      await fake.stop?.()
    },
  }
  const executor = new DriverExecutor({
    name: 'fake',
    driver,
    capabilities: {
      languages: ['python'],
      isolation: 'none',
      stateful: [],
      richOutput: true,
      network: 'open',
      limits: { memory: false, processes: false },
      ...fake.capabilities,
    },
    options: engineOptions(fake.options),
    stopGraceMs: fake.stopGraceMs ?? 50,
    ...(fake.startTimeoutMs === undefined ? {} : { startTimeoutMs: fake.startTimeoutMs }),
    ...(fake.stopTimeoutMs === undefined ? {} : { stopTimeoutMs: fake.stopTimeoutMs }),
    ...(fake.prepareTimeoutMs === undefined ? {} : { prepareTimeoutMs: fake.prepareTimeoutMs }),
  })
  return { executor, steps }
}

/** Blocks for {@link fakeExecutor}, by the names of their programs. */
export function blocks(...names: string[]): CodeBlock[] {
  return names.map((code) => ({ language: 'python', code }))
}

export const typesOf = (events: readonly ExecutionEvent[]) => events.map(({ type }) => type)
