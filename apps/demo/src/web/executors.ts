import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeExecutor, FencedError } from '@fenced/core'
import type { WebExecutor, WebProblem } from '@fenced/web'
import { createExecutor, type ExecutorChoice } from '../executor/create-executor.ts'

/** The executors of a conversation, the safest that needs no download first. */
export function executors(timeoutMs: number): WebExecutor[] {
  const create = (choice: ExecutorChoice) => (options: { readonly workDir: string }) =>
    createExecutor(choice, { timeoutMs, ...options })
  const docker = { executor: 'docker', image: 'python:3-slim', build: undefined, packages: [] } as const
  return [
    executor('bubblewrap', 'Sandbox on this machine', create({ executor: 'local', isolation: 'bubblewrap' })),
    executor('local', 'This machine, not isolated', create({ executor: 'local', isolation: 'none' })),
    {
      ...executor('docker', 'Container, python:3-slim', create({ ...docker, network: 'none' })),
      check: once(checkDocker),
    },
    executor(
      'jupyter',
      'Jupyter kernel',
      create({ executor: 'jupyter', python: undefined, server: undefined }),
    ),
  ]
}

type Create = (options: { readonly workDir: string }) => Promise<CodeExecutor>

function executor(id: string, name: string, createExecutor: Create): WebExecutor {
  return { id, name, createExecutor, check: once(() => tried(createExecutor)) }
}

/** An image that is missing is pulled when the first code is to run there. */
async function checkDocker(): Promise<WebProblem | undefined> {
  const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
  return tried(
    async ({ workDir }) => new DockerCommandLineCodeExecutor({ workDir, pull: 'never' }),
    ['IMAGE_NOT_FOUND'],
  )
}

/** Starts it once: nothing else says for sure whether it can be had. */
async function tried(create: Create, allowed: readonly string[] = []): Promise<WebProblem | undefined> {
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
