import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions, Engine } from '@fenced/executor-docker'
import { SandboxPool } from '@fenced/sandbox'
import { docker, runDetached } from './docker-command.ts'
import { type Beside, beside, type Contender, compare, type Row } from './measure.ts'
import type { AutoGen } from './processes.ts'

export interface StartOptions {
  readonly rounds: number
  readonly image: string
  readonly autogen: AutoGen | undefined
}

const block = { language: 'python', code: 'print(1)' }

/** Work of a container after its start, which is not measured. */
const pauseMs = 500

/** How long a spare has waited at least: after five seconds a pool asks whether it still answers. */
const waitedMs = 5_100

/** Until a container is ready for its first block, and with that. Everybody with their own defaults, which for us is no network. */
export async function startRows({ rounds, image, autogen }: StartOptions): Promise<Row[]> {
  await using spare = await spareOf(image)
  await using spareForBlock = await spareOf(image)
  await using engine = await bareEngine(image)
  const times = await compare({
    ...{ rounds, warmUpRounds: 2, pauseMs },
    contenders: {
      ours: () => startedExecutor({ image }),
      oursWithBlock: () => startedExecutor({ image }, 'and a block'),
      networked: () => startedExecutor({ image, network: 'bridge' }),
      commandLine: () => runDetached(image),
      engine: () => engine.start(),
      spare: () => spare.take(),
      spareWithBlock: () => spareForBlock.take('and a block'),
      ...(autogen === undefined ? {} : contendersOf(autogen)),
    } as Record<string, Contender>,
  })
  const { ours, oursWithBlock, networked, commandLine, spareWithBlock } = times
  const rows: Beside[] = [
    { measured: 'start ÷ `docker run -d` and `docker inspect`', ours, reference: commandLine },
    { measured: 'start ÷ what the engine takes alone', ours, reference: times.engine },
    { measured: 'start ÷ AutoGen', ours, reference: times.autogen, goal: 0.58 },
    {
      measured: `start and \`${block.code}\` ÷ AutoGen`,
      ours: oursWithBlock,
      reference: times.autogenWithBlock,
      goal: 0.65,
    },
    {
      measured: 'start, with the same network ÷ `docker run -d` and `docker inspect`',
      ours: networked,
      reference: commandLine,
    },
    {
      measured: 'start, with the same network ÷ AutoGen',
      ours: networked,
      reference: times.autogen,
    },
    {
      measured: 'start, where a spare waits ÷ AutoGen',
      ours: times.spare,
      reference: times.autogen,
      goal: 0.58,
    },
    {
      measured: `start and \`${block.code}\`, where a spare waits ÷ AutoGen`,
      ours: spareWithBlock,
      reference: times.autogenWithBlock,
    },
  ]
  return rows.flatMap(beside)
}

async function startedExecutor(
  options: DockerExecutorOptions,
  more?: 'and a block',
): Promise<DockerCommandLineCodeExecutor> {
  const executor = new DockerCommandLineCodeExecutor(options)
  await executor.start()
  if (more !== undefined) await executor.execute([block])
  return executor
}

/** An idle container that was never used. */
async function spareOf(image: string) {
  const pool = new SandboxPool({ create: () => new DockerCommandLineCodeExecutor({ image }) })
  await pool.start()
  let readyAt = performance.now()
  return {
    /** Starts the next container while this one ends, so that its start is not measured. */
    async take(more?: 'and a block') {
      await delay(Math.max(0, waitedMs - (performance.now() - readyAt)))
      const takenAt = performance.now()
      const lease = await pool.acquire()
      if (more !== undefined) await lease.resource.execute([block])
      const tookMs = performance.now() - takenAt
      const end = async () => {
        await lease.release()
        await pool.start()
        readyAt = performance.now()
      }
      return { tookMs, [Symbol.asyncDispose]: end }
    },
    [Symbol.asyncDispose]: () => pool.stop(),
  }
}

/** The engine's own part: its two requests, for a container as ours are. */
async function bareEngine(image: string) {
  await using stack = new AsyncDisposableStack()
  // The directory that they mount is its.
  const executor = stack.use(await startedExecutor({ image }))
  const engine = stack.use(await Engine.connect())
  const [{ Config, HostConfig }] = JSON.parse(await docker('inspect', executor.sandbox?.id ?? ''))
  const { Hostname: _, ...config } = Config
  const kept = stack.move()
  return {
    async start() {
      const name = `fenced-bench-${randomBytes(6).toString('hex')}`
      const { signal } = new AbortController()
      const container = await engine.startContainer({ ...config, HostConfig, name }, { signal })
      return { [Symbol.asyncDispose]: () => container.remove() }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function contendersOf(autogen: AutoGen): Record<string, Contender> {
  return {
    autogen: () => autogen.start(),
    autogenWithBlock: async () => {
      const started = await autogen.start()
      const { tookMs } = await autogen.run(block.language, block.code)
      return { ...started, tookMs: started.tookMs + tookMs }
    },
  }
}
