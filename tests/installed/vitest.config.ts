import { defineConfig } from 'vitest/config'
// @boundaries-ignore The tags of levels belong to all configurations of tests; no package exports them.
import { levelTags } from '../../testing/levels.ts'

const conditions = ['@fenced/source', 'node', 'import', 'default']

/** Tests of what a user installs: `pnpm test:installed`. They take minutes, and the registry that npm is configured for. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['*.test.ts'],
    runner: '../../testing/runner.ts',
    tags: levelTags,
    globalSetup: './prepare.ts',
    // Import times are compared; what does not measure installs a few at a time.
    maxWorkers: 1,
    maxConcurrency: 3,
    isolate: false,
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
  },
})
