import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import type { WebExecutor, WebExecutorOptions, WebProblem } from '@fenced/web'
import { createExecutor } from '../executor/create-executor.ts'

interface CommonOptions {
  readonly timeoutMs: number
  /** Where virtual environments are kept. */
  readonly directory: string
}

/** The executors of a conversation, the safest that needs no download first. */
export function executors({ timeoutMs, directory }: CommonOptions): WebExecutor[] {
  const common = { timeoutMs, directory }
  return [
    executor('bubblewrap', 'Sandbox on this machine', local('bubblewrap', common)),
    executor('local', 'This machine, not isolated', local('none', common)),
    {
      ...executor('docker', 'Container, python:3-slim', ({ workDir, packages }) =>
        createExecutor(
          { executor: 'docker', image: 'python:3-slim', build: undefined, packages, network: 'none' },
          { timeoutMs, workDir },
        ),
      ),
      check: once(checkDocker),
    },
    {
      ...executor('jupyter', 'Jupyter kernel', ({ workDir }) =>
        createExecutor({ executor: 'jupyter', python: undefined, server: undefined }, { timeoutMs, workDir }),
      ),
      takesPackages: false,
    },
  ]
}

type Create = (
  options: Pick<WebExecutorOptions, 'workDir' | 'packages'> & StartOptions,
) => Promise<CodeExecutor>

function executor(id: string, name: string, createExecutor: Create): WebExecutor {
  const check = once(() => tried(({ workDir }) => createExecutor({ workDir, packages: [] })))
  return { id, name, createExecutor, takesPackages: true, check }
}

/** Processes of this machine; with packages, their Python is a virtual environment that conversations with the same ones share. */
function local(isolation: 'none' | 'bubblewrap', { timeoutMs, directory }: CommonOptions): Create {
  return async ({ workDir, packages, ...starting }) => {
    if (packages.length === 0) return createExecutor({ executor: 'local', isolation }, { timeoutMs, workDir })
    const { VenvPythonEnvironment } = await import('@fenced/python-env')
    const name = createHash('sha256').update(JSON.stringify(packages.toSorted())).digest('hex').slice(0, 16)
    const environment = new VenvPythonEnvironment({
      venvPath: join(directory, 'environments', name),
      packages,
    })
    return environment.createExecutor({ ...starting, workingDirectory: workDir, timeoutMs, isolation })
  }
}

/** An image that is missing is pulled when the first code is to run there. */
async function checkDocker(): Promise<WebProblem | undefined> {
  const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
  const create = async ({ workDir }: { readonly workDir: string }) =>
    new DockerCommandLineCodeExecutor({ workDir, pull: 'never' })
  return tried(create, ['IMAGE_NOT_FOUND'])
}

/** Starts it once: nothing else says for sure whether it can be had. */
async function tried(
  create: (options: { readonly workDir: string }) => Promise<CodeExecutor>,
  allowed: readonly string[] = [],
): Promise<WebProblem | undefined> {
  const workDir = await mkdtemp(join(tmpdir(), 'fenced-demo-check-'))
  try {
    await using executor = await create({ workDir })
    await executor.start()
    return undefined
  } catch (error) {
    if (!FencedError.isInstance(error)) throw error
    if (allowed.includes(error.code)) return undefined
    const [problem = '', ...repair] = error.message.split('\n')
    return { problem, repair: repair.join('\n').trim() }
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

/** What is there stays there; what is missing is looked for again. */
function once(check: () => Promise<WebProblem | undefined>): () => Promise<WebProblem | undefined> {
  let isThere = false
  return async () => {
    if (isThere) return undefined
    const problem = await check()
    isThere = problem === undefined
    return problem
  }
}
