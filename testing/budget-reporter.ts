import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter } from 'vitest/node'

/** What each part of `pnpm test` may take with two idle cores, in seconds. */
const budget = { installation: 60, preparation: 30, tests: 120 }

/** Where `.ci/installing.mjs` notes how many seconds the installation took. */
const installation = join(import.meta.dirname, '../.vitest/installation.json')

/** Where `prepare.ts` notes how long the preparation took, in seconds. */
export const preparationVariable = 'FENCED_TEST_PREPARATION_SECONDS'

/** Ends a run of `pnpm test` with what its parts took and may take. */
export class BudgetReporter implements Reporter {
  readonly #begun = performance.timeOrigin

  onTestRunEnd(): void {
    const took = {
      installation: installationSeconds(),
      preparation: Number(process.env[preparationVariable] ?? 0),
      tests: (Date.now() - this.#begun) / 1_000,
    }
    const parts = Object.entries(budget).map(
      ([name, seconds]) => `${name} ${took[name as keyof typeof took].toFixed(0)} s of ${seconds}`,
    )
    process.stdout.write(
      `\n Budget on two idle cores: ${parts.join(', ')} (the preparation runs beside the tests).\n`,
    )
  }
}

/** 0 from the second run on. */
function installationSeconds(): number {
  if (!existsSync(installation)) return 0
  const { seconds = 0 } = JSON.parse(readFileSync(installation, 'utf8'))
  rmSync(installation)
  return seconds
}
