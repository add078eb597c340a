import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runner } from '../src/embedded.ts'

const folder = new URL('../python/runner/', import.meta.url)

it('the program of the resident Python has every source once, each from the line after a thousand', () => {
  const lines = runner.split('\n')
  const found = readdirSync(folder).map((name) => {
    const source = readFileSync(new URL(name, folder), 'utf8').trimEnd().split('\n')
    const at = lines.findIndex((_, start) => source.every((line, index) => lines[start + index] === line))
    return { name, at: at % 1_000, position: at / 1_000 }
  })
  expect(found.map(({ at }) => at)).toEqual(found.map(() => 0))
  expect(found.map(({ position }) => position).sort((a, b) => a - b)).toEqual(found.map((_, index) => index))
})
