// @module-tag nightly

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './demo.ts'
import { docker } from './docker.ts'
import { jupyter } from './jupyter.ts'
import { runExample } from './run-example.ts'

const packages = join(import.meta.dirname, '../../../packages')

describe('the first example of a README prints what the README says', () => {
  it.skipIf(bubblewrap.missing)('of the repository', () =>
    tryFirstExample('..', join(import.meta.dirname, '..')),
  )
  it.each(['core', 'errors', 'markdown'])('%s', (name) => tryFirstExample(name))
  it.skipIf(bubblewrap.missing)('executor-local', () => tryFirstExample('executor-local'))
  it.skipIf(docker.missing)('executor-docker', () => tryFirstExample('executor-docker'))
  it.skipIf(jupyter.missing)('executor-jupyter', () => tryFirstExample('executor-jupyter'))
  it.skipIf(python.missing)('python-env', () => tryFirstExample('python-env'))
  it.skipIf(bubblewrap.missing)('agents', () => tryFirstExample('agents', join(import.meta.dirname, '..')))
  it.skipIf(bubblewrap.missing)('ai-sdk', () => tryFirstExample('ai-sdk'))
  it('web', async () => {
    await promisify(execFile)(process.execPath, [join(packages, 'web/scripts/build-page.ts')])
    await tryFirstExample('web')
  })
  it.skipIf(bubblewrap.missing)('opentelemetry', () => tryFirstExample('opentelemetry'))
  it.skipIf(python.missing)('host', () => tryFirstExample('host'))
})

it('no example of a README is a syntax error on the oldest Node that will do', async () => {
  for (const name of ['..', ...(await readdir(packages))]) {
    const blocks = extractCodeBlocks(await readFile(join(packages, name, 'README.md'), 'utf8'))
    const programs = blocks.filter(({ language }) => language === 'typescript').map(({ code }) => code)
    expect(programs.join('\n'), name).not.toMatch(/\busing \w/)
  }
})

/** @param directory - where the program runs. Default: the package, whose own dependencies must do for it. */
async function tryFirstExample(name: string, directory = join(packages, name)): Promise<void> {
  const blocks = extractCodeBlocks(await readFile(join(packages, name, 'README.md'), 'utf8'))
  const first = blocks.find(({ language }) => language === 'typescript')?.code ?? ''
  const shown = blocks.find(({ language }) => language === 'text')?.code
  expect(await runExample(first, directory)).toBe(`${shown}\n`)
}
