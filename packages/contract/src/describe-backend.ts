import { backendArchiveRows } from './backend-archive-rows.ts'
import { backendLifeRows } from './backend-life-rows.ts'
import { backendProcessRows } from './backend-process-rows.ts'
import type { BackendRow, BackendSubject } from './backend-row.ts'
import type { TestFunctions } from './contract.ts'
import { describeSuite } from './suite.ts'

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
export function describeBackend(functions: TestFunctions, subject: BackendSubject): void {
  describeSuite(functions, {
    name: subject.name,
    chapters: { processes: backendProcessRows, archives: backendArchiveRows, life: backendLifeRows },
    ending: 'the sandbox of these rows is removed',
    create: () => subject.create(),
    end: ({ backend }) => backend.remove(),
    whySkipped: (row) => whySkipped(row, subject),
    check: ({ check }, target) => check(target, subject),
  })
}

function whySkipped({ name, needs }: BackendRow, { except, ...subject }: BackendSubject): string | undefined {
  if (except?.[name] !== undefined) return except[name]
  return needs === undefined || subject[needs] !== undefined ? undefined : `the subject names no \`${needs}\``
}
