import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CodeBlock, type CodeExecutor, FencedError, type Notice } from '@fenced/core'
import { defaultImage } from '@fenced/sandbox-docker'
import { createExecutor } from '../executor.ts'
import type { ExecutorName } from '../executor-options.ts'
import { UserError } from '../user-error.ts'
import type { Check } from './checks.ts'

/** What `fenced doctor` found out. */
export interface Finding {
  readonly check: string
  readonly works: boolean
  /** What was seen. */
  readonly detail: string
  /** What to do about what does not work, or about what the first use would wait for. */
  readonly repair?: string
  /** Code and values of the error or the notice of a check that fails. */
  readonly code?: string
  readonly data?: Notice['data']
  /** Paths in `/etc` that programs do not see, where they see others. */
  readonly hidden?: readonly string[]
}

/** A hang, not a speed: a cluster may have to pull an image. */
const timeoutMs = 120_000

const program: CodeBlock = {
  language: 'python',
  // Windows has no ids of users.
  code: `import os, platform
user = [f"as user {os.getuid()}"] if hasattr(os, "getuid") else []
print("Python", platform.python_version(), *user)`,
}

/** Runs a small program there. @param isNamed - whether it was asked for, and may cost something. Never rejects. */
export async function runCheck(check: Check, isNamed: boolean): Promise<Finding> {
  if (check === 'disk') return checkDisk()
  if (check === 'kubernetes' && !isNamed) return clusterFinding()
  const executor: ExecutorName = check === 'bubblewrap' ? 'local' : check
  try {
    const isolation = check === 'bubblewrap' ? { isolation: check } : {}
    // A check does not download an image of a hundred megabytes.
    const pull = check === 'docker' ? { pull: 'never' as const } : {}
    const finding = await run(check, await createExecutor({ executor, ...isolation, ...pull }))
    return check === 'bubblewrap' && finding.works ? await withHidden(finding, isNamed) : finding
  } catch (error) {
    return findingOf(check, error)
  }
}

/** @param isNamed - whether the text has the paths, which fill a screen. */
async function withHidden(finding: Finding, isNamed: boolean): Promise<Finding> {
  const { hiddenInEtc } = await import('@fenced/sandbox-local')
  const hidden = hiddenInEtc()
  if (hidden.length === 0) return finding
  const text = isNamed
    ? `Programs do not see these paths: ${hidden.join(', ')}.\nThe option \`readable\` shows them paths that they need.`
    : `Programs do not see ${hidden.length} paths in /etc. This lists them:\nfenced doctor bubblewrap`
  return { ...finding, detail: `${finding.detail}\n${text}`, hidden }
}

async function run(check: Check, executor: CodeExecutor): Promise<Finding> {
  try {
    const { status, output, blocks } = await executor.execute([program], {
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = output.trim()
    if (status === 'ok') return { check, works: true, detail: text }
    const why = text === '' ? `A small program ended: ${status}.` : text
    return { ...failure(check, why), ...reasonOf(blocks[0]?.notices.at(-1)) }
  } finally {
    await executor.stop()
  }
}

function findingOf(check: Check, error: unknown): Finding {
  if (!(error instanceof UserError || FencedError.isInstance(error))) throw error
  if (!(error instanceof UserError) && error.code === 'IMAGE_NOT_FOUND')
    return {
      check,
      works: true,
      detail: `The engine answers. It does not have the image ${defaultImage}: \`--executor docker\` pulls it, and \`auto\` does not.`,
      repair: `docker pull ${defaultImage}`,
    }
  const finding = failure(check, error.message.trim())
  return error instanceof UserError ? finding : { ...finding, ...reasonOf(error) }
}

function reasonOf(reason: Pick<Notice, 'code' | 'data'> | undefined): Pick<Finding, 'code' | 'data'> {
  if (reason === undefined) return {}
  const { code, data } = reason
  return data === undefined ? { code } : { code, data }
}

/** @param message - its first sentence has what happened, and the others what to do. */
function failure(check: Check, message: string): Finding {
  const [, detail = message, repair] = /^(.+?)(?:\n|(?<=\.)\s+(?=[A-Z]))(.+)$/s.exec(message) ?? []
  return { check, works: false, detail, ...(repair === undefined ? {} : { repair }) }
}

/** A pod has a cost, so none is started without an option. */
function clusterFinding(): Finding {
  const path = process.env.KUBECONFIG ?? join(homedir(), '.kube/config')
  const check = 'kubernetes'
  try {
    readFileSync(path)
  } catch {
    return {
      check,
      works: false,
      detail: `There is no kubeconfig at ${path}.`,
      repair: 'Set KUBECONFIG to the file that names your cluster.',
    }
  }
  const repair = 'fenced doctor kubernetes'
  return { check, works: true, detail: `${path} names a cluster. This starts a pod in it:`, repair }
}

async function checkDisk(): Promise<Finding> {
  const { bavail, bsize } = await statfs(tmpdir())
  const megabytes = Math.round((Number(bavail) * Number(bsize)) / 1e6)
  const detail = `${megabytes} MB are free in ${tmpdir()}, where working directories are.`
  if (megabytes >= 100) return { check: 'disk', works: true, detail }
  return {
    check: 'disk',
    works: false,
    detail,
    repair: 'Remove files there, or set TMPDIR to a directory with more space.',
  }
}
