import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { mutantsOf } from './mutants/places.ts'
import { survivors } from './mutants/survivors.ts'

const root = resolve(import.meta.dirname, '..')

it('each listed mutant is a change of a file, listed once, with a reason', () => {
  const gone = survivors.filter(({ file, change }) => !changesOf(file).includes(change))
  expect(gone).toEqual([])
  expect(new Set(survivors.map(({ file, change }) => `${file} ${change}`)).size).toBe(survivors.length)
  expect(survivors.filter(({ reason }) => !/^[A-Z0-9`].*\.$/.test(reason))).toEqual([])
})

function changesOf(file: string): string[] {
  const path = resolve(root, file)
  return existsSync(path) ? mutantsOf(file, readFileSync(path, 'utf8')).map(({ name }) => name) : []
}
