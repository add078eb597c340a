import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { AttackTable } from './testing/attack-table.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'
import { real } from './vitest.config.ts'

// The tests that docs/threat-model.md names. `pnpm test` runs them as well; here they end with a table.
const page = readFileSync(new URL('docs/threat-model.md', import.meta.url), 'utf8')
const named = [...page.matchAll(/\(\.\.\/(\S+?\.test\.ts)(?: "(?:\\"|[^"])*")?\)/g)].flatMap(
  ([, file]) => file ?? [],
)

// The whole of it, however long it takes.
process.env.FENCED_TEST_LEVEL ??= 'nightly'

export default defineConfig({
  ...real,
  test: {
    ...real.test,
    include: [...new Set(named)],
    globalSetup: './testing/prepare.ts',
    maxWorkers: 2,
    reporters: ['default', new SkippedReporter(), new AttackTable()],
  },
})
