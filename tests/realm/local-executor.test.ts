// @module-tag all

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { startProcess } from '@fenced/host'
import { expect, it } from 'vitest'

// Vitest runs this file with its pool `vmThreads`, as Jest runs all files: in a context of node:vm.
it('runs in another realm than Node', () => {
  let thrown: unknown
  try {
    readFileSync('/fenced-no-such-file')
  } catch (error) {
    thrown = error
  }
  expect(thrown).not.toBeInstanceOf(Error)
})

it.each([undefined, false, true])('runs a block and removes its directory, with warm: %s', async (warm) => {
  const executor = new LocalCommandLineCodeExecutor(warm === undefined ? {} : { warm })
  const result = await executor.execute([
    { language: 'python', code: 'import os\nos.makedirs("a/b")\nopen("a/b/c", "w").close()\nprint("ran")' },
  ])
  expect(result).toMatchObject({ status: 'ok', output: 'ran\n' })
  await executor.stop()
  expect(existsSync(executor.workDir)).toBe(false)
})

it('takes bytes for a file, and names a directory that cannot be made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-realm-'))
  await using executor = new LocalCommandLineCodeExecutor({ workDir: join(folder, 'work') })
  await executor.start()
  await executor.sandbox?.files.write('bytes', Buffer.from([0, 255]))
  expect(readFileSync(join(folder, 'work/bytes'))).toEqual(Buffer.from([0, 255]))
  const path = join(folder, 'work/bytes/below')
  const below = new LocalCommandLineCodeExecutor({ workDir: path })
  const refusal: unknown = await below.start().catch((error) => error)
  expect(FencedError.isInstance(refusal)).toBe(true)
  expect(refusal).toMatchObject({ code: 'WORK_DIR_UNUSABLE', data: { path } })
  rmSync(folder, { recursive: true })
})

it('tells a program that does not exist from one that cannot be started', async () => {
  const program = await startProcess(['/fenced-no-such-program'], { cwd: '/' })
  expect(await program.ended).toMatchObject({ kind: 'not-started', reason: 'not-found' })
})
