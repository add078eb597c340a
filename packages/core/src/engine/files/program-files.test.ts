import { expect, it } from 'vitest'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'
import type { PreparedBlock } from '../driver.ts'
import { ProgramFiles } from './program-files.ts'

function program({ stays, isThere, isWritten }: { stays: boolean; isThere: boolean; isWritten: boolean }) {
  const workDirectory = { has: () => isThere, write: async () => '' } as unknown as HostWorkDirectory
  const files = new ProgramFiles({ content: '' } as PreparedBlock, {
    workDirectory,
    name: 'a.py',
    stays,
    isLater: true,
  })
  return isWritten ? files.write().then(() => files) : files
}

it('only a temporary file that was written can be lost', async () => {
  const lost = { stays: false, isThere: false, isWritten: true }
  expect((await program(lost)).hasLostFile).toBe(true)
  expect((await program({ ...lost, isWritten: false })).hasLostFile).toBe(false)
  expect((await program({ ...lost, stays: true })).hasLostFile).toBe(false)
  expect((await program({ ...lost, isThere: true })).hasLostFile).toBe(false)
})
