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

/** Why there can be no containers of an image; `undefined` when there can. */
export async function imageProblem(image: string): Promise<string | undefined> {
  try {
    await docker('image', 'inspect', '--format', '{{.Id}}', image)
    return undefined
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') return 'There is no docker command.'
    return `No engine has the image ${image}: ${stderr.trim()}`
  }
}

/** @throws Skipped unless containers of the image can be made. */
export async function needImage(image: string): Promise<void> {
  const problem = await imageProblem(image)
  if (problem !== undefined) throw new Skipped(problem)
}
