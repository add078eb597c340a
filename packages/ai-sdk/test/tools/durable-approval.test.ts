// @module-tag all

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const program = join(import.meta.dirname, '../programs/durable-approval.ts')

it.each([
  { answer: 'yes', runs: true, reads: '42' },
  { answer: 'no', runs: false, reads: 'denied' },
])('a program that waits for approval is answered "$answer" by another process', async (expected) => {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-approval-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const run = async (...answer: readonly string[]) => {
    const parts = [join(directory, 'messages.json'), directory, ...answer]
    const args = ['--conditions=@fenced/source', program, ...parts]
    return (await promisify(execFile)(process.execPath, args)).stdout
  }
  expect(await run()).toBe('')
  expect(existsSync(join(directory, 'ran'))).toBe(false)
  expect(await run(expected.answer)).toContain(expected.reads)
  expect(existsSync(join(directory, 'ran'))).toBe(expected.runs)
})
