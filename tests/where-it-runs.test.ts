import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { page, writtenPage } from './installed/where-page.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

/** The first two numbers of each version that a pattern finds in a file. */
const versionsIn = (path: string, pattern: RegExp) =>
  [...read(path).matchAll(pattern)].map(([, version]) => version)

it('docs/where-it-runs.md has the table of the tests', () => {
  expect(writtenPage()).toBe(page())
})

it('docs/where-it-runs.md names the versions that the tests install', () => {
  const versions = [
    ...versionsIn('packages/core/package.json', /"node": ">=(\d+\.\d+)"/g),
    ...versionsIn('packages/ai-sdk/package.json', /"ai": "\^(\d+\.\d+\.\d+)"/g),
    ...versionsIn(
      'packages/executor-kubernetes/test/cluster/programs.sh',
      /^kubernetes_version=v(\d+\.\d+)/gm,
    ),
    ...versionsIn(
      'packages/executor-jupyter/test/jupyter/requirements.txt',
      /^(?:jupyter-.+|ipykernel)==(\d+\.\d+)/gm,
    ),
    ...versionsIn('packages/executor-jupyter/test/jupyter/make-python', /[( ](\d+\.\d+)\.\d+/g),
    ...versionsIn('packages/python-env/test/make-uv', /^version=(\d+\.\d+)/gm),
  ]
  expect(versions.length).toBe(10)
  const [, matrix = ''] = writtenPage().split(/^\| part \|/m)
  expect(versions.filter((version) => !matrix.includes(`${version}`))).toEqual([])
})
