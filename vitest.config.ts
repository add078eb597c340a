import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { reworded } from './testing/reworded.ts'
import { LongestFirst } from './testing/sequencer.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'

// Tests run on the sources of every package, not on their builds: the condition is in each `exports` map.
const conditions = ['@fenced/source', 'node', 'import', 'default']

// Programs that tests start load our sources as well, which takes half as long with what an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile')

/** What all tests share. */
export const shared = {
  // Only there: Vitest keeps what a plugin has transformed for the next run with the same plugins.
  plugins: process.env.FENCED_TEST_REWORDED === '1' ? [reworded] : [],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    runner: './testing/runner.ts',
    // Real programs on a busy machine: `.ci/run` counts apart what passes only at a second try.
    retry: process.env.CI ? 1 : 0,
    // A hang, not a speed: how fast things are is `pnpm bench`.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, Vitest's default, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Loading what they test takes longer than most of them: a process loads it once for many files.
    isolate: false,
  },
} satisfies ViteUserConfig

export default defineConfig({
  test: {
    reporters: ['default', ...(process.env.CI ? ['json'] : []), new SkippedReporter()],
    // Tests that take long wait for a program, an engine or a kernel most of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'beside the sources',
          include: ['{packages,apps}/*/src/**/*.test.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'whole packages',
          include: [
            '{packages,apps}/*/test/**/*.test.ts',
            'examples/*/*.test.ts',
            'testing/*.test.ts',
            'tests/{,api/,options/}*.test.ts',
          ],
          globalSetup: './testing/prepare.ts',
        },
      },
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'another realm',
          // As in Jest: errors of Node are no `instanceof Error` there.
          pool: 'vmThreads',
          include: ['tests/realm/*.test.ts'],
        },
      },
    ],
  },
})
