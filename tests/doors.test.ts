import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../packages')
const withExecutors = ['executor-docker', 'executor-jupyter', 'executor-kubernetes', 'python-env']

it.each(withExecutors)('%s gives a program the same words of core as executor-local does', (name) => {
  expect(wordsOfCore('executor-local')).toEqual(expect.arrayContaining(['extractCodeBlocks', 'CodeResult']))
  expect(wordsOfCore(name)).toEqual(wordsOfCore('executor-local'))
})

it.each(['core', 'markdown'])('the door of %s without promises says so in its first line', (name) => {
  expect(source(name, 'internal')).toMatch(/^\/\/ Only for the packages of Fenced\./)
})

/** What the package exports from core, so that a program needs to install only this package. */
function wordsOfCore(name: string): string[] {
  const statements = source(name, 'index').matchAll(/export (?:type )?\{([^}]*)\} from '@fenced\/core/g)
  const names = [...statements].flatMap(([, list = '']) => list.split(','))
  return names.map((text) => text.replace(/\btype\b/, '').trim()).filter((text) => text !== '')
}

function source(name: string, door: string): string {
  return readFileSync(join(packages, name, 'src', `${door}.ts`), 'utf8')
}
