import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { PreparedLast } from './testing/sequencer.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'

// Tests run on the sources of every package, not on their builds: the condition is in each `exports` map.
const conditions = ['@fenced/source', 'node', 'import', 'default']

/** What all tests share. */
export const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    runner: './testing/runner.ts',
    // Real programs on a busy machine: `.ci/run` counts apart what passes only at a second try.
    retry: process.env.CI ? 1 : 0,
    // A hang, not a speed: how fast things are is `pnpm bench`.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
} satisfies ViteUserConfig

export default defineConfig({
  test: {
    reporters: ['default', ...(process.env.CI ? ['json'] : []), new SkippedReporter()],
    // Most tests wait for others: a program, an engine, a kernel.
    maxWorkers: 2,
    sequence: { sequencer: PreparedLast },
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'beside the sources',
          include: ['{packages,apps}/*/src/**/*.test.ts'],
          // Loading what they test takes longer than most of them: one process loads it once for many files.
          isolate: false,
        },
      },
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'whole packages',
          include: ['{packages,apps}/*/test/**/*.test.ts', 'testing/*.test.ts', 'tests/{,options/}*.test.ts'],
          globalSetup: './testing/prepare.ts',
        },
      },
    ],
  },
})
