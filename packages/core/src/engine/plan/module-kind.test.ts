import { expect, test } from 'vitest'
import { moduleLabel } from './module-kind.ts'

test.each([
  ["import fs from 'node:fs'", 'mjs'],
  ["import 'node:fs'", 'mjs'],
  ['export const a = 1', 'mjs'],
  ['const a = await b()', 'mjs'],
  ['for await (const a of b()) c(a)', 'mjs'],
  ['console.log(import.meta.url)', 'mjs'],
  ["import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)", 'mjs'],
  ["const fs = require('node:fs')", 'cjs'],
  ['module.exports = 1', 'cjs'],
  ['if (require.main === module) main()', 'cjs'],
  ['count = 1; with (console) log(count)', 'cjs'],
  ['return', 'cjs'],
  ["import('node:fs').then(console.log)", 'cjs'],
  ['const run = async () => { await a() }; run()', 'cjs'],
  ['const text = `\nimport a from "a"\nawait`', 'cjs'],
  ['// import a from "a"', 'cjs'],
  ['#!/usr/bin/env node\nlet a', 'cjs'],
  ['let a = ;', 'cjs'],
  ['('.repeat(100_000), 'cjs'],
  ['', 'cjs'],
])('JavaScript is parsed as Node does without a package.json: %j', (code, label) => {
  expect(moduleLabel(code, 'javascript')).toBe(label)
})

test.each([
  ["import fs from 'node:fs'", 'mts'],
  ['const a: number = await b()', 'mts'],
  ['type A = string', 'mts'],
  ["import { createRequire } from 'node:module'\nconst require = createRequire('/a')", 'mts'],
  ["const fs = require('node:fs')", 'cts'],
  ['const name: string = __filename', 'cts'],
  ["const a: string = await import('node:fs'); if (require.main === module) a", 'cts'],
  ['', 'mts'],
])(
  'TypeScript is CommonJS only if it uses a name of CommonJS and has no import or export: %j',
  (code, label) => {
    expect(moduleLabel(code, 'typescript')).toBe(label)
  },
)

test('a program in another language has none', () => {
  expect(moduleLabel('import os', 'python')).toBeUndefined()
})
