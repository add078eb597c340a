import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extractCodeBlocks } from '@fenced/core'
import { describe, expect, it } from 'vitest'
import { python } from './demo.ts'
import { docker } from './docker.ts'
import { jupyter, jupyterEnvironment } from './jupyter.ts'

const packages = join(import.meta.dirname, '../../../packages')

describe('the first example of a README prints what the README says', () => {
  it('core', () => tryFirstExample('core'))
  it.skipIf(python.missing)('executor-local', () => tryFirstExample('executor-local'))
  it.skipIf(docker.missing)('executor-docker', () => tryFirstExample('executor-docker'))
  it.skipIf(jupyter.missing)('executor-jupyter', () => tryFirstExample('executor-jupyter'))
  it.skipIf(python.missing)('python-env', () => tryFirstExample('python-env'))
  it.skipIf(python.missing)('host', () => tryFirstExample('host'))
})

async function tryFirstExample(name: string): Promise<void> {
  const directory = join(packages, name)
  const blocks = extractCodeBlocks(await readFile(join(directory, 'README.md'), 'utf8'))
  const first = blocks.find(({ language }) => language === 'typescript')?.code ?? ''
  const shown = blocks.find(({ language }) => language === 'text')?.code
  // The image that the test engines have.
  const code = first.replaceAll('python:3-slim', 'fenced-test/python')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', code],
    { cwd: directory, env: { ...process.env, VIRTUAL_ENV: jupyterEnvironment } },
  )
  expect(stdout).toBe(`${shown}\n`)
}
