import { backendArchiveRows } from './backend-archive-rows.ts'
import { backendLifeRows } from './backend-life-rows.ts'
import { backendProcessRows } from './backend-process-rows.ts'
import type { BackendRow, BackendSubject, BackendUnderTest } from './backend-row.ts'
import type { TestFunctions } from './contract.ts'

/** A hang, not a speed. */
const timeout = 120_000

/**
 * Registers the contract tests for a `SandboxBackend` with a test runner. They run real commands in a real sandbox.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeBackend } from '@fenced/contract'
 *
 * describeBackend(
 *   { describe, it },
 *   { name: 'mine', create: async () => ({ backend: await MyBackend.start(), directory: '/tmp' }) },
 * )
 * ```
 */
export function describeBackend({ describe, it }: TestFunctions, subject: BackendSubject): void {
  const chapters = { processes: backendProcessRows, archives: backendArchiveRows, life: backendLifeRows }
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      const shared = new SharedSandbox(subject)
      for (const row of rows) {
        const reason = whySkipped(row, subject)
        const title = reason === undefined ? row.name : `${row.name} (skipped: ${reason})`
        const options = { skip: reason !== undefined, timeout, concurrent: false as const }
        it(title, options, () => (row.own ? checkAlone(row, subject) : shared.check(row)))
      }
      it('the sandbox of these rows is removed', { skip: false, timeout, concurrent: false }, () =>
        shared.remove(),
      )
    })
  }
}

function whySkipped({ name, needs }: BackendRow, { except, ...subject }: BackendSubject): string | undefined {
  if (except?.[name] !== undefined) return except[name]
  return needs === undefined || subject[needs] !== undefined ? undefined : `the subject names no \`${needs}\``
}

async function checkAlone({ check }: BackendRow, subject: BackendSubject): Promise<void> {
  const target = await subject.create()
  try {
    await check(target, subject)
  } finally {
    await target.backend.remove()
  }
}

/** A sandbox for several rows. */
class SharedSandbox {
  readonly #subject: BackendSubject
  #target: BackendUnderTest | undefined

  constructor(subject: BackendSubject) {
    this.#subject = subject
  }

  /** The next row gets a new one where this one fails: it may have broken it. */
  async check(row: BackendRow): Promise<void> {
    this.#target ??= await this.#subject.create()
    try {
      await row.check(this.#target, this.#subject)
    } catch (error) {
      await this.remove().catch(() => {})
      throw error
    }
  }

  async remove(): Promise<void> {
    const target = this.#target
    this.#target = undefined
    await target?.backend.remove()
  }
}
