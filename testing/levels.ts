import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'

/**
 * How much a run tries. `test` is `pnpm test`: each behavior once, in the cheapest sandbox that shows it. `all` is `pnpm test:all`,
 * which every change has to pass: other sandboxes, engines, amounts. `nightly` is everything.
 */
export type Level = 'test' | 'all' | 'nightly'

/** The tag of a test that a run of an earlier level leaves out. A test without one belongs to `test`. */
export type LevelTag = Exclude<Level, 'test'>

declare module 'vitest' {
  interface TestTags {
    tags: LevelTag
  }
}

const order: readonly Level[] = ['test', 'all', 'nightly']

/** For the option `tags` of Vitest. */
export const levelTags: { name: LevelTag; description: string }[] = [
  { name: 'all', description: 'runs from `pnpm test:all` on' },
  { name: 'nightly', description: 'runs in `pnpm test:nightly` only' },
]

/** Names the level of a run to its processes. */
export const levelVariable = 'FENCED_TEST_LEVEL'

export const currentLevel: Level = order.find((level) => level === process.env[levelVariable]) ?? 'test'

/** Why a test of a later level does not run. */
export const ofLaterLevel = {
  name: 'later-level',
  problem:
    'the same in other sandboxes, on engines and clusters, with servers, in browsers, and for large amounts',
}

/** Whether a test with these tags runs at a later level only. */
export function isLeftOut(tags: readonly string[], level: Level): boolean {
  return order.slice(order.indexOf(level) + 1).some((later) => tags.includes(later))
}

/**
 * What hostile code, files and servers try, what needs an engine or a cluster, and examples, which are shown without our tags. These
 * files are `all` by their paths.
 */
const ofAll = ['**/*.attack.test.ts', 'packages/executor-{docker,kubernetes}/test/**', 'examples/**']

export function tagsByPath(file: string): readonly LevelTag[] {
  return ofAll.some((glob) => matchesGlob(file, glob)) ? ['all'] : []
}

/** What a test file begins with: `// @module-tag all`. */
export function moduleTags(text: string): readonly string[] {
  return [...text.matchAll(/^\/\/ @module-tag (\w+)$/gm)].flatMap(([, tag]) => tag ?? [])
}

/** The test files that a run of a level leaves out whole: it need not load them. */
export function filesLeftOut(level: Level): readonly string[] {
  if (level === 'nightly') return []
  const cwd = join(import.meta.dirname, '..')
  const globs = [
    '{packages/*,apps/*,shared}/{src,test}/**/*.test.ts',
    'examples/*/*.test.ts',
    '{testing,tests}/**/*.test.ts',
  ]
  const files = globSync(globs, { cwd, exclude: ['**/node_modules'] })
  const tagsOf = (file: string) => [...tagsByPath(file), ...moduleTags(readFileSync(join(cwd, file), 'utf8'))]
  return files.filter((file) => isLeftOut(tagsOf(file), level))
}
