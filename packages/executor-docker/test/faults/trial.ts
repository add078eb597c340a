import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeResult, FencedError } from '@fenced/core'
import { uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../../src/index.ts'
import { containersNamed } from '../raw-engine.ts'
import { EngineProxy } from './engine-proxy.ts'

export interface Trial {
  readonly proxy: EngineProxy
  readonly executor: DockerCommandLineCodeExecutor
  readonly containerName: string
}

type TrialOptions = DockerExecutorOptions & { readonly overTcp?: boolean }

/** Tries something with an executor behind a proxy, and makes sure that nothing of it is left on the engine. */
export async function tried(options: TrialOptions, act: (trial: Trial) => Promise<void>): Promise<void> {
  const { end, ...trial } = await begin(options)
  try {
    await act(trial)
  } finally {
    await end()
  }
  expect(await containersNamed(trial.containerName)).toEqual([])
}

/** The same for the tests of a suite, each of which leaves the executor usable: it is started once. */
export function sharedTrial(options: TrialOptions): () => Trial {
  let begun: Awaited<ReturnType<typeof begin>>
  beforeAll(async () => {
    begun = await begin(options)
    await begun.executor.start()
  })
  afterAll(async () => {
    await begun.end()
    expect(await containersNamed(begun.containerName)).toEqual([])
  })
  return () => begun
}

async function begin({ overTcp = false, ...options }: TrialOptions) {
  const proxy = await EngineProxy.start()
  const containerName = `fenced-test-faults-${uniqueSeconds()}`
  // One that stays: without it the engine refuses a request that comes late, and nothing shows.
  const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  const executor = new DockerCommandLineCodeExecutor({
    image: 'fenced-test/busybox',
    containerName,
    workDir,
    workDirMode: 'bind',
    docker: overTcp ? proxy.tcpAddress : proxy.address,
    ...options,
  })
  const end = async () => {
    proxy.heal()
    await executor.stop()
    proxy[Symbol.dispose]()
    await rm(workDir, { recursive: true, force: true })
  }
  return { proxy, executor, containerName, end }
}

/** What a start or a call came to; anything but a FencedError is no way to fail. */
export async function outcomeOf<Result>(promise: PromiseLike<Result>): Promise<Result | FencedError> {
  try {
    return await promise
  } catch (error) {
    if (FencedError.isInstance(error)) return error
    throw error
  }
}

/** How a block ended under a fault. */
type BlockEnd = 'right' | 'died' | 'rejected'

/**
 * Makes sure that what a block came to is true: right in everything, or known to be unknown, and then with the
 * beginning of what it wrote.
 */
export function expectTrue(
  outcome: CodeResult | FencedError,
  { stdout, stderr = '', exitCode = 0 }: { stdout: string; stderr?: string; exitCode?: number },
): BlockEnd {
  const isError = FencedError.isInstance(outcome)
  const result = isError ? outcome.result : outcome
  const [block] = result?.blocks ?? []
  if (isError) expect(outcome.code).toMatch(/^ENGINE_(LOST|FAILED|UNREACHABLE)$/)
  if (isError || outcome.status === 'died') {
    if (result !== undefined) expect(result).toMatchObject({ status: 'died', exitCode: 255 })
    expect(stdout.startsWith(block?.stdout ?? '')).toBe(true)
    expect(stderr.startsWith(block?.stderr ?? '')).toBe(true)
    return isError ? 'rejected' : 'died'
  }
  expect(outcome).toMatchObject({ status: exitCode === 0 ? 'ok' : 'error', exitCode })
  expect({ stdout: block?.stdout, stderr: block?.stderr }).toEqual({ stdout, stderr })
  return 'right'
}
