import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allDependencies, dependenciesPage } from './dependency-list.ts'

const page = join(import.meta.dirname, '../docs/dependencies.md')

/** Licenses that ask only for a copy of their text and of the copyright notice. */
const permissive: readonly string[] = [
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]

it('docs/dependencies.md lists the installed dependencies of each package', () => {
  expect(dependenciesPage()).toBe(readFileSync(page, 'utf8'))
})

it('each dependency has a permissive license', () => {
  const all = allDependencies()
  expect(all.length).toBeGreaterThan(20)
  const choices = (license: string) => license.replace(/^\((.+)\)$/, '$1').split(' OR ')
  const others = all.filter(({ license }) => !choices(license).some((each) => permissive.includes(each)))
  expect(others).toEqual([])
})
