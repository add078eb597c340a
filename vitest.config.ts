import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BudgetReporter } from './testing/budget-reporter.ts'
import { filesLeftOut, type Level, levelTags, levelVariable } from './testing/levels.ts'
import { passed } from './testing/passed.ts'
import { ProjectsReporter } from './testing/projects-reporter.ts'
import { isOn, reworded } from './testing/reworded.ts'
import { PreparedLast } from './testing/sequencer.ts'
import { SkippedReporter } from './testing/skipped-reporter.ts'

// Tests run on the sources of every package, not on their builds: the condition is in each `exports` map.
const conditions = ['@fenced/source', 'node', 'import', 'default']

// Programs that tests start load our sources as well, which takes half as long with what an earlier one has compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile')

/** What all tests share. */
const shared = {
  // Only there: Vitest keeps what a plugin has transformed for the next run with the same plugins.
  plugins: isOn ? [reworded] : [],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    runner: './testing/runner.ts',
    tags: levelTags,
    // For hangs only: `pnpm bench` measures speed. A busy machine can take twenty times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A second, Vitest's default, is too short on a busy machine.
    expect: { poll: { timeout: 120_000 } },
  },
} satisfies ViteUserConfig

/** Tests that use the machine. Each file has its own process. */
export const real = {
  ...shared,
  test: {
    ...shared.test,
    pool: 'forks',
    isolate: true,
    // Node loads the sources and strips their types, without a hook of Vitest: no test replaces a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--conditions=@fenced/source'],
  },
} satisfies ViteUserConfig

/** What `pnpm test` leaves to `pnpm test:all`, wherever it is asked for. */
const ofLaterLevels =
  'docker,podman,remote-docker,ssh-docker,runsc,private-dockerd,kubernetes,own-kubernetes,agent-sandbox,chromium,uv,python-clients'

/** Globs of further files to leave out, separated by commas. Vitest's option `--exclude` does not reach its projects. */
const excluded = (process.env.FENCED_TEST_EXCLUDE ?? '').split(',').filter((glob) => glob !== '')

/** Vitest calls it the mode: `--mode all`, or its own `test`. A file that is named runs whole. */
function levelOf(mode: string): Level {
  if (mode === 'all' || mode === 'nightly') return mode
  return process.argv.some((argument) => argument.endsWith('.test.ts')) ? 'nightly' : 'test'
}

export default defineConfig(({ mode }) => {
  const level = levelOf(mode)
  process.env[levelVariable] = level
  if (level === 'test') process.env.FENCED_SKIP ??= ofLaterLevels
  const exclude = ['**/node_modules/**', ...filesLeftOut(level), ...passed.files, ...excluded]
  return {
    test: {
      exclude,
      reporters: [
        'default',
        ...(process.env.CI ? ['json'] : []),
        new SkippedReporter(),
        new ProjectsReporter(),
        ...(level === 'test' ? [new BudgetReporter()] : []),
      ],
      // Tests that take long wait for a program, an engine or a kernel most of the time: those of later levels use a third of a core.
      maxWorkers: level === 'test' ? 4 : 5,
      sequence: { sequencer: PreparedLast },
      projects: [
        {
          ...shared,
          test: {
            ...shared.test,
            name: 'pure',
            include: ['{packages/*,apps/*,shared}/src/**/*.test.ts'],
            // They change nothing that another file sees, and loading what they test takes longer than most of them.
            isolate: false,
          },
        },
        {
          ...real,
          test: {
            ...real.test,
            name: 'real',
            include: [
              '{packages/*,apps/*,shared}/test/**/*.test.ts',
              'examples/*/*.test.ts',
              'testing/*.test.ts',
              'tests/{,api/,options/,sessions/}*.test.ts',
            ],
            globalSetup: './testing/prepare.ts',
          },
        },
        {
          ...shared,
          test: {
            ...shared.test,
            name: 'real, in another realm',
            // As in Jest: errors of Node are no `instanceof Error` there.
            pool: 'vmThreads',
            include: ['tests/realm/*.test.ts'],
          },
        },
      ],
    },
  }
})
