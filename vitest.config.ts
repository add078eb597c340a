import { defineConfig } from 'vitest/config'
import { PreparedLast } from './testing/sequencer.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'

// Tests run on the sources of every package, not on their builds: the condition is in each `exports` map.
const conditions = ['@fenced/source', 'node', 'import', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ['default', ...(process.env.CI ? ['json'] : []), new SkippedReporter()],
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'apps/*/{src,test}/**/*.test.ts',
      'testing/*.test.ts',
      'tests/*.test.ts',
      'tests/options/*.test.ts',
    ],
    globalSetup: './testing/prepare.ts',
    runner: './testing/runner.ts',
    sequence: { sequencer: PreparedLast },
    // Most of them wait for others: a program, an engine, a kernel.
    maxWorkers: 2,
    // Real programs on a busy machine: `.ci/run` counts apart what passes only at a second try.
    retry: process.env.CI ? 1 : 0,
    // A hang, not a speed: how fast things are is `pnpm bench`.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
