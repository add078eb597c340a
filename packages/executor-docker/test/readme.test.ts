import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import { docker } from './requirements.ts'

it.skipIf(docker.missing)('the example of a container at once prints what the README says', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [program, expected] = extractCodeBlocks(readme.slice(readme.indexOf('## A container at once')))
  const here = program?.code.replace('python:3-slim', 'fenced-test/python') ?? ''
  const args = ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', here]
  const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(output).toBe(`${expected?.code}\n`)
})
