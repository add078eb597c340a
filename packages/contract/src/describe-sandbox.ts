import type { TestFunctions } from './contract.ts'
import { pauseRows } from './pause-rows.ts'
import { processListRows } from './process-list-rows.ts'
import { sandboxFileRows } from './sandbox-file-rows.ts'
import { sandboxMoveRows } from './sandbox-move-rows.ts'
import { sandboxProcessRows } from './sandbox-process-rows.ts'
import type { SandboxSubject } from './sandbox-row.ts'
import { sandboxWatchRows } from './sandbox-watch-rows.ts'
import { describeSuite } from './suite.ts'
import { terminalRows } from './terminal-rows.ts'
import { usageRows } from './usage-rows.ts'

/**
 * Registers the contract tests for a `Sandbox` with a test runner. They run real programs in real sandboxes.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeSandbox } from '@fenced/contract'
 *
 * describeSandbox({ describe, it }, { name: 'mine', create: () => new MySandbox() })
 * ```
 */
export function describeSandbox(functions: TestFunctions, subject: SandboxSubject): void {
  const { capabilities } = subject.create()
  describeSuite(functions, {
    name: subject.name,
    chapters: {
      processes: sandboxProcessRows,
      files: [...sandboxFileRows, ...sandboxMoveRows, ...sandboxWatchRows],
      terminals: terminalRows,
      usage: usageRows,
      pause: pauseRows,
      'process list': processListRows,
    },
    ending: 'the sandbox of these rows stops',
    timeout: 300_000,
    create: () => subject.create(),
    end: (sandbox) => sandbox.stop(),
    whySkipped: ({ name, unless }) => subject.except?.[name] ?? unless?.(capabilities),
    async check({ own, needs, check }, sandbox) {
      if (!own) await sandbox.start()
      const program = needs === undefined ? '' : (await sandbox.which([needs])).get(needs)
      if (program === undefined) return `the sandbox has no ${needs}`
      await check(sandbox, subject, program)
    },
  })
}
