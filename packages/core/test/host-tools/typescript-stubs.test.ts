// @module-tag all

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ToolSet } from '../../src/host-tools/tool-set.ts'
import { javascriptName, typescriptStubs } from '../../src/host-tools/typescript-stubs.ts'
import { realTools } from './real-tools.fixture.ts'

const stubs = typescriptStubs(ToolSet.of(realTools).tools)

describe('declarations of forty real tools', () => {
  it('pass a strict type check, with programs that call them', async () => {
    const program = `
(await tools.readFile({ path: 'a', head: 3 })).toUpperCase()
await tools.editFile({ path: 'a', edits: [{ oldText: 'x', newText: 'y' }] })
for (const entry of await tools.directoryTree({ path: '.' })) entry.children?.[0]?.name.toUpperCase()
;(await tools.gitLog({ repo_path: 'r', start_timestamp: null }))[0]?.hash.toUpperCase()
await tools.gitBranch({ repo_path: 'r', branch_type: 'all' })
await tools.find({ collection: 'c', filter: { $and: [{ field: 'a', equals: null }], $or: [] } })
await tools.createEvent({ title: 't', start: { date: 'd' }, repeats: { every: 'week', days: ['MO'] } })
await tools.class({ import: 'os' })
await tools['2fa']({ 'content-type': 'a', X_y: 'b' })
await tools.名前({ 値: 'c' })
await tools.readGraph()
await tools.anything({ a: 1 })
export {}
`
    expect(await problemsOf(program)).toEqual([])
  })

  it('show what is wrong with a call', async () => {
    const wrong = [
      'await tools.readFile({})',
      'await tools.readFile()',
      'await tools.readFile({ path: "a", lines: 3 })',
      'await tools.editFile({ path: "a", edits: [{ oldText: "x" }] })',
      'await tools.gitBranch({ repo_path: "r", branch_type: "mine" })',
      'await tools.find({ collection: "c", filter: { $and: [{ field: 7 }] } })',
      'await tools.createEvent({ title: "t", start: { date: "d" }, repeats: { every: "year" } })',
      'await tools.nothing({})',
    ]
    const lines = await problemsOf(`${wrong.join('\n')}\nexport {}\n`)
    expect(lines).toEqual(wrong.map((_, index) => index + 1))
  })
})

it.each([
  ['query_db', 'queryDb'],
  ['read-it.now', 'readItNow'],
  ['getUser', 'getUser'],
  ['2fa', '2fa'],
  ['then', 'then_'],
  ['to_string', 'toString_'],
  ['constructor', 'constructor_'],
  ['ToolError', 'ToolError_'],
])('a tool %s is %s in JavaScript, and is found by both names', (name, expected) => {
  expect(javascriptName(name)).toBe(expected)
  const set = ToolSet.of({ [name]: { execute: () => null } })
  expect(set.find(expected)?.name).toBe(name)
  expect(set.find(name)?.name).toBe(name)
  expect(set.find('valueOf')).toBe(undefined)
})

/** The lines of a program about which the compiler complains. */
async function problemsOf(program: string): Promise<number[]> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-stubs-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, 'tools.d.ts'), `${stubs}\n`)
  await writeFile(join(directory, 'program.ts'), program)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'esnext',
    module: 'esnext',
    types: [],
    skipLibCheck: false,
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '--project', directory, '--pretty', 'false'], {
    encoding: 'utf8',
  })
  return [
    ...new Set([...stdout.matchAll(/^.*program\.ts\((\d+),/gm)].map(([, line]) => Number(line))),
  ].concat(/tools\.d\.ts/.test(stdout) ? [-1] : [])
}
