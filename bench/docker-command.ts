import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Skipped } from './measure.ts'

const execute = promisify(execFile)

/** A container as one makes it by hand. */
export interface PlainContainer extends AsyncDisposable {
  readonly id: string
}

/** `docker run -d` with the defaults of the docker command, until it is known to run. */
export async function runDetached(image: string, mounted?: string): Promise<PlainContainer> {
  const mount = mounted === undefined ? [] : ['--volume', `${mounted}:/workspace`]
  // It ends itself, should this process not come to it.
  const command = ['sleep', '3600']
  const id = await docker('run', '--detach', '--rm', '--init', ...mount, image, ...command)
  await docker('inspect', '--format', '{{.State.Status}}', id)
  return {
    id,
    async [Symbol.asyncDispose]() {
      await docker('rm', '--force', id)
    },
  }
}

/** What the docker command prints, trimmed. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await execute('docker', args)
  return stdout.trim()
}

/** @throws Skipped unless containers of the image can be had. */
export async function needImage(image: string): Promise<void> {
  try {
    await docker('image', 'inspect', '--format', '{{.Id}}', image)
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    const why = code === 'ENOENT' ? 'there is no docker command.' : stderr.trim()
    throw new Skipped(`${why} It needs an engine that has the image ${image}; --image names another one.`)
  }
}
