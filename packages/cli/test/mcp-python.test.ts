// @module-tag nightly

import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anywhere, fencedProgram } from './command.ts'
import { python } from './requirements.ts'

const client = join(import.meta.dirname, 'mcp/python-client.py')

/** A Python with this version of the package `mcp`; `undefined` without a registry. */
async function pythonWith(requirement: string): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-mcp-python-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const program = join(directory, 'bin/python')
  try {
    execFileSync('python3', ['-m', 'venv', directory])
    execFileSync(program, ['-m', 'pip', 'install', '--quiet', requirement], { stdio: 'ignore' })
    return program
  } catch {
    return undefined
  }
}

describe.skipIf(python.missing)('fenced mcp, for a client of Python', () => {
  it.for(['mcp>=1.20,<2', 'mcp>=2,<3'])(
    'of %s, runs code and links its files',
    async (requirement, { skip }) => {
      const program = (await pythonWith(requirement)) ?? skip(`${requirement} cannot be installed here.`)
      const output = execFileSync(program, [client, ...fencedProgram, 'mcp', ...anywhere], {
        encoding: 'utf8',
      })
      expect(JSON.parse(output)).toEqual({ tools: 10, output: '42\n', kinds: ['text', 'resource_link'] })
    },
  )
})
