import { globSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { type Row, rows } from './levels.ts'

/** Fails a run in which the names of a row of `levels.ts` match no test, although all of its files ran. */
export class LevelsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const namesByFile = new Map(modules.map((module) => [pathOf(module), namesOf(module)]))
    const stale = rows.filter((row) => isStale(row, namesByFile))
    if (stale.length === 0) return
    for (const { files, names } of stale)
      process.stdout.write(
        `\n testing/levels.ts: ${names} is in no name of a test of ${files}. Change the row.\n`,
      )
    process.exitCode = 1
  }
}

function isStale({ files, names }: Row, namesByFile: ReadonlyMap<string, readonly string[]>): boolean {
  if (names === undefined) return false
  const paths = files.flatMap((glob) => globSync(glob)).filter((path) => path.endsWith('.test.ts'))
  const ran = paths.map((path) => namesByFile.get(path.split(sep).join('/')))
  return ran.length > 0 && ran.every((testNames) => testNames?.some((name) => names.test(name)) === false)
}

function pathOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId).split(sep).join('/')
}

function namesOf(module: TestModule): readonly string[] {
  return [...module.children.allTests()].map(({ fullName }) => fullName)
}
