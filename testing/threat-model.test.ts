import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const page = readFileSync(new URL('../docs/threat-model.md', import.meta.url), 'utf8')
const named = [...page.matchAll(/\(\.\.\/(\S+?)\)/g)].map(([, file = '']) => file)

it('names only tests that there are', () => {
  expect(named.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([])
})

it('names every test of an attack, and each promise has one', () => {
  const attacks = globSync('packages/*/{src,test}/**/*.attack.test.ts', {
    cwd: new URL('..', import.meta.url),
    exclude: (name) => name.includes('node_modules'),
  })
  expect(attacks.filter((file) => !named.includes(file))).toEqual([])
  const promises = page.split('\n').filter((line) => /^\| (?!promise|---|who)[A-Z`]/.test(line))
  expect(promises.filter((line) => !line.includes('.test.ts)'))).toEqual([])
  expect(promises.length).toBeGreaterThan(15)
})
