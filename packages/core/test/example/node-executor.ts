import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  type BlockIo,
  type BlockOutcome,
  type Driver,
  DriverExecutor,
  engineOptionsShape,
  HostWorkDirectory,
  nonInteractiveEnvironment,
  type PreparedBlock,
  parseOptions,
} from '@fenced/core'
import { z } from 'zod'

const optionsSchema = z.strictObject({ ...engineOptionsShape, workDir: z.string().optional() })

/** Runs JavaScript blocks with the Node that runs this program. */
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
    const child = spawn(process.execPath, [path], {
      cwd: this.workDirectory.path,
      env: nonInteractiveEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    io.signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
    child.stdout.on('data', (chunk: Uint8Array) => io.write('stdout', chunk))
    child.stderr.on('data', (chunk: Uint8Array) => io.write('stderr', chunk))
    const [code] = await once(child, 'close')
    return { exitCode: code ?? 137 }
  }
}
