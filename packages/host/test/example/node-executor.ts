import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import {
  type BlockIo,
  type BlockOutcome,
  type Driver,
  DriverExecutor,
  engineOptionsShape,
  exitCodeOfSignal,
  HostWorkDirectory,
  type PreparedBlock,
  parseOptions,
} from '@fenced/core'
import { EscapedProcesses, orAfter, programEnvironment } from '@fenced/host'
import { z } from 'zod'

const optionsSchema = z.strictObject({ ...engineOptionsShape, workDir: z.string().optional() })

/** Runs JavaScript blocks with the Node that runs this program, on Linux and macOS. */
export class NodeExecutor extends DriverExecutor {
  constructor(options: z.input<typeof optionsSchema> = {}) {
    const settings = parseOptions(optionsSchema, options, 'NodeExecutor')
    super({
      name: 'node',
      driver: new NodeDriver(new HostWorkDirectory({ path: settings.workDir })),
      options: settings,
      capabilities: {
        languages: ['javascript'],
        isolation: 'none',
        stateful: false,
        richOutput: false,
        network: true,
        limits: { memory: false, processes: false },
      },
    })
  }
}

class NodeDriver implements Driver {
  readonly workDirectory: HostWorkDirectory

  constructor(workDirectory: HostWorkDirectory) {
    this.workDirectory = workDirectory
  }

  async run({ path }: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    const escaped = new EscapedProcesses()
    const env = programEnvironment(process.env, { env: escaped.mark, inheritEnv: false })
    const child = spawn(process.execPath, [path], {
      cwd: this.workDirectory.path,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that a signal reaches everything in it.
      detached: true,
    })
    const end = () => endGroup(child.pid)
    io.signal.addEventListener('abort', end, { once: true })
    const output = Promise.all([pass(child.stdout, 'stdout', io), pass(child.stderr, 'stderr', io)])
    const [code, signal] = await once(child, 'exit')
    io.ended()
    // What the program left behind may hold the streams open, so its rest is waited for only this long.
    await orAfter(output, 100)
    end()
    escaped.kill()
    await output
    return { exitCode: code ?? exitCodeOfSignal(constants.signals[signal as NodeJS.Signals]) }
  }
}

async function pass(pipe: Readable, stream: 'stdout' | 'stderr', io: BlockIo): Promise<void> {
  // A reader of the events that is behind holds the program back.
  for await (const chunk of pipe) await io.write(stream, chunk)
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left.
  }
}
