import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../packages')
const withExecutors = ['executor-docker', 'executor-jupyter', 'executor-kubernetes', 'python-env']

it.each(withExecutors)('%s gives a program the same words of core as executor-local does', (name) => {
  expect(wordsOfCore('executor-local')).toEqual(["export * from '@fenced/core'"])
  expect(wordsOfCore(name)).toEqual(wordsOfCore('executor-local'))
})

it('the door of core without promises says so in its first line', () => {
  expect(source('core', 'internal')).toMatch(/^\/\/ Only for the packages of Fenced\./)
})

/** What the package exports from core, so that a program needs to install only this package. */
function wordsOfCore(name: string): string[] | null {
  return source(name, 'index').match(/^export .*from '@fenced\/core.*'$/gm)
}

function source(name: string, door: string): string {
  return readFileSync(join(packages, name, 'src', `${door}.ts`), 'utf8')
}
