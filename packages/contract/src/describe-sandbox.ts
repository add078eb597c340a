import type { Sandbox } from '@fenced/core/sandbox'
import type { TestFunctions } from './contract.ts'
import { sandboxFileRows } from './sandbox-file-rows.ts'
import { sandboxProcessRows } from './sandbox-process-rows.ts'
import type { SandboxRow, SandboxSubject } from './sandbox-row.ts'

/** A hang, not a speed. */
const timeout = 300_000

/**
 * Registers the contract tests for a {@link Sandbox} with a test runner. They run real programs in real sandboxes.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeSandbox } from '@fenced/contract'
 *
 * describeSandbox({ describe, it }, { name: 'mine', create: () => new MySandbox() })
 * ```
 */
export function describeSandbox({ describe, it }: TestFunctions, subject: SandboxSubject): void {
  const { capabilities } = subject.create()
  const chapters = { processes: sandboxProcessRows, files: sandboxFileRows }
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      const shared = new StartedSandbox(subject)
      for (const row of rows) {
        const excepted = subject.except?.[row.name] ?? row.unless?.(capabilities)
        const title = excepted === undefined ? row.name : `${row.name} (skipped: ${excepted})`
        const options = { skip: excepted !== undefined, timeout, concurrent: false as const }
        it(title, options, () => (row.own ? checkAlone(row, subject) : shared.check(row)))
      }
      it('the sandbox of these rows stops', { skip: false, timeout, concurrent: false }, () => shared.stop())
    })
  }
}

async function checkAlone({ check }: SandboxRow, subject: SandboxSubject): Promise<void> {
  await using own = subject.create()
  await check(own, subject)
}

/** A started sandbox for several rows. */
class StartedSandbox {
  readonly #subject: SandboxSubject
  #sandbox: Sandbox | undefined

  constructor(subject: SandboxSubject) {
    this.#subject = subject
  }

  /** The next row gets a new one where this one fails: it may have broken it. */
  async check(row: SandboxRow): Promise<void> {
    this.#sandbox ??= this.#subject.create()
    try {
      await this.#sandbox.start()
      await row.check(this.#sandbox, this.#subject)
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    const sandbox = this.#sandbox
    this.#sandbox = undefined
    await sandbox?.stop()
  }
}
