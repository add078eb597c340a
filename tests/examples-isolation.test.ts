import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'

// What people copy. Nothing in it decides at run time to do without isolation.

const root = join(import.meta.dirname, '..')
const isOwn = (path: string) => !/node_modules|\/dist\/|\.test\.ts$/.test(path)
const read = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: root })
    .filter(isOwn)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const programs = read(['examples/**/*.ts', 'apps/demo/src/**/*.ts'])
const pages = read([
  'README.md',
  'docs/*.md',
  '{packages,examples,apps}/*/README.md',
  'packages/*/skills/*/SKILL.md',
])
const shown = pages.flatMap(({ path, text }) =>
  extractCodeBlocks(text)
    .filter(({ language }) => /^(typescript|ts|tsx|javascript|js)$/.test(language))
    .map(({ code, line }) => ({ path: `${path}:${line}`, text: code })),
)
const all = [...programs, ...shown]

/** A value of the option, or of a variable for it, that is an expression, such as a condition on the system. */
const decidesIsolation = /\bisolation(?::| =)\s*(?![^,;}\n]*=>)[^,;}\n]*(\?|\|\||&&)/
/** It answers requests of others, or serves a page to them. */
const serves = /export (?:async )?function (?:GET|POST)\b|\bcreateServer\(|\bserve(?:FencedWeb)?\(/
const onThisMachine = /new (?:LocalCommandLineCodeExecutor|LocalSandbox|JupyterCodeExecutor)\(([^)]*)\)/g

it('no example chooses its isolation by a condition', () => {
  expect(all.length).toBeGreaterThan(100)
  // The demo decides it for its own scripted programs, and for no others: it has to run on a bare machine.
  const allowed = ['apps/demo/src/main.ts']
  const found = all.filter(({ text }) => decidesIsolation.test(text)).map(({ path }) => path)
  expect(found).toEqual(allowed)
})

it('no example falls back to another executor when one cannot start', () => {
  const fallsBack = /catch\b[^{]*\{[^}]*new \w*(?:CodeExecutor|Sandbox)\(/
  expect(all.filter(({ text }) => fallsBack.test(text)).map(({ path }) => path)).toEqual([])
})

it('an example that answers requests runs their programs in isolation', () => {
  const serving = all.filter(({ text }) => serves.test(text))
  const open = serving.filter(({ text }) =>
    [...text.matchAll(onThisMachine)].some(
      ([, options = '']) => !options.includes("isolation: 'bubblewrap'"),
    ),
  )
  expect(serving.map(({ path }) => path)).toContain('examples/ai-sdk/web-response.ts')
  expect(open.map(({ path }) => path)).toEqual([])
})

it.each([
  "{ isolation: process.platform === 'linux' ? 'bubblewrap' : 'none' }",
  "{ workDir, isolation: isLinux && 'bubblewrap' }",
  "const isolation = isLinux ? 'bubblewrap' : 'none'",
])('a condition is found: %s', (text) => expect(text).toMatch(decidesIsolation))
