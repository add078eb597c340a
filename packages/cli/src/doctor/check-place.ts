import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeBlock, type CodeExecutor, FencedError } from '@fenced/core'
import { createExecutor, type ExecutorName } from '../place.ts'
import { UserError } from '../user-error.ts'

/** What `fenced doctor` says of a place. */
export interface Finding {
  readonly place: string
  readonly works: boolean
  /** What was seen. */
  readonly detail: string
  /** What to do about what does not work, or about what the first use would wait for. */
  readonly repair?: string
}

export const placesToCheck = ['local', 'bubblewrap', 'docker', 'jupyter', 'kubernetes', 'disk'] as const
export type PlaceToCheck = (typeof placesToCheck)[number]

/** A hang, not a speed: a cluster may have to pull an image. */
const timeoutMs = 120_000

const program: CodeBlock = {
  language: 'python',
  code: 'import platform\nprint("Python", platform.python_version())',
}

/** Runs a small program there. @param isNamed - whether it was asked for, and may cost something. Never rejects. */
export async function checkPlace(place: PlaceToCheck, isNamed: boolean): Promise<Finding> {
  if (place === 'disk') return checkDisk()
  if (place === 'kubernetes' && !isNamed) return clusterFinding()
  const executor: ExecutorName = place === 'bubblewrap' ? 'local' : place
  try {
    return await run(place, await makeExecutor(executor, place))
  } catch (error) {
    return findingOf(place, error)
  }
}

async function makeExecutor(executor: ExecutorName, place: PlaceToCheck): Promise<CodeExecutor> {
  if (executor === 'docker') {
    // A check does not download an image of a hundred megabytes.
    const { DockerCommandLineCodeExecutor } = await import('@fenced/executor-docker')
    return new DockerCommandLineCodeExecutor({ pull: 'never' })
  }
  return createExecutor({ executor, network: false, ...(place === 'bubblewrap' ? { isolation: place } : {}) })
}

async function run(place: PlaceToCheck, executor: CodeExecutor): Promise<Finding> {
  try {
    const { status, output } = await executor.execute([program], { signal: AbortSignal.timeout(timeoutMs) })
    const text = output.trim()
    if (status === 'ok') return { place, works: true, detail: text }
    return { place, works: false, detail: text === '' ? `A small program ended: ${status}.` : text }
  } finally {
    await executor.stop()
  }
}

function findingOf(place: PlaceToCheck, error: unknown): Finding {
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  const [detail = '', ...rest] = error.message.trim().split('\n')
  const repair = rest.join('\n').trim()
  if (!(error instanceof UserError) && error.code === 'IMAGE_NOT_FOUND')
    return {
      place,
      works: true,
      detail: 'The engine answers; the image python:3-slim is not there, and the first use pulls it.',
      repair: 'docker pull python:3-slim',
    }
  return { place, works: false, detail, ...(repair === '' ? {} : { repair }) }
}

/** A pod costs somebody something, so none is started unasked. */
function clusterFinding(): Finding {
  const path = process.env.KUBECONFIG ?? join(homedir(), '.kube/config')
  const place = 'kubernetes'
  try {
    readFileSync(path)
  } catch {
    return { place, works: false, detail: `There is no kubeconfig at ${path}.` }
  }
  const repair = 'fenced doctor kubernetes'
  return { place, works: true, detail: `${path} names a cluster. This starts a pod in it:`, repair }
}

async function checkDisk(): Promise<Finding> {
  const { bavail, bsize } = await statfs(tmpdir())
  const megabytes = Math.round((Number(bavail) * Number(bsize)) / 1e6)
  const detail = `${megabytes} MB are free in ${tmpdir()}, where working directories are.`
  if (megabytes >= 100) return { place: 'disk', works: true, detail }
  return {
    place: 'disk',
    works: false,
    detail,
    repair: 'Remove files there, or set TMPDIR to a directory with more room.',
  }
}
