import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { blocks, fakeExecutor, ok, type Program } from '../../src/engine/fake-driver.fixture.ts'
import type { Isolation } from '../../src/vocabulary/isolation.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'

async function run(
  program: Program,
  { takesText = false, timeoutMs = 60_000, isolation = 'none' as Isolation } = {},
) {
  const workDirectory = new HostWorkDirectory()
  const { executor } = fakeExecutor({
    ...{ workDirectory, takesText, programs: { program }, capabilities: { isolation } },
  })
  await using _ = executor
  const { blocks: results } = await executor.execute(blocks('program'), { timeoutMs })
  return results[0]
}

const changed = { code: 'program-changed', data: { file: expect.stringMatching(/\.py$/) } }

const changes: ReadonlyArray<readonly [what: string, change: (path: string) => void]> = [
  ['is written to', (path) => writeFileSync(path, 'other')],
  ['is written to with the same length', (path) => writeFileSync(path, 'PROGRAM\n')],
  ['is removed', (path) => rmSync(path)],
  [
    'is replaced by a link to a copy',
    (path) => {
      renameSync(path, `${path}.old`)
      symlinkSync(`${path}.old`, path)
    },
  ],
]

describe('a program whose file', () => {
  it.each(changes)('%s while it runs has died, and keeps its output', async (_, change) => {
    const program: Program = async (io, { path }) => {
      await io.write('stdout', Buffer.from('said\n'))
      change(path)
      return ok
    }
    expect(await run(program, { isolation: 'container' })).toMatchObject({
      status: 'died',
      exitCode: 255,
      stdout: 'said\n',
      notices: [changed],
    })
  })

  it('is removed while it runs counts without isolation, where the program can do so itself', async () => {
    const program: Program = async (_io, { path }) => {
      rmSync(path)
      return ok
    }
    expect(await run(program)).toMatchObject({ status: 'ok', notices: [] })
  })

  it('may not be what the interpreter took has died', async () => {
    const program: Program = async () => ({ ...ok, tookContent: false })
    expect(await run(program)).toMatchObject({ status: 'died', notices: [changed] })
  })

  it.each(changes)('%s before its start is not started', async (_, change) => {
    const program: Program = async (io, { path, content }) => {
      expect(await io.fileHasChanged()).toBe(false)
      change(path)
      expect(await io.fileHasChanged()).toBe(true)
      rmSync(path, { force: true })
      writeFileSync(path, content)
      return { status: 'died' }
    }
    expect(await run(program)).toMatchObject({ status: 'died', notices: [changed] })
  })

  it.each(changes)('%s counts where its interpreter took the content', async (_, change) => {
    const program: Program = async (_io, { path, content }) => {
      expect(content).toBe('program\n')
      change(path)
      return { ...ok, tookContent: true }
    }
    expect(await run(program)).toMatchObject({ status: 'ok', notices: [] })
  })

  it.skipIf(process.platform === 'win32')(
    'is replaced and put back has died in a sandbox on this machine',
    async () => {
      const program: Program = async (io, { path }) => {
        expect(await io.fileHasChanged()).toBe(false)
        renameSync(path, `${path}.kept`)
        writeFileSync(path, 'other')
        renameSync(`${path}.kept`, path)
        return ok
      }
      expect(await run(program, { isolation: 'bubblewrap' })).toMatchObject({
        status: 'died',
        notices: [changed],
      })
    },
  )

  it('is left alone counts in a sandbox on this machine', async () => {
    const program: Program = async (io) => {
      expect(await io.fileHasChanged()).toBe(false)
      return ok
    }
    expect(await run(program, { isolation: 'bubblewrap' })).toMatchObject({ status: 'ok', notices: [] })
  })

  it('changes while it runs has died, also at its time limit, and both are said', async () => {
    const program: Program = async ({ signal }, { path }) => {
      writeFileSync(path, 'other')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return ok
    }
    const result = await run(program, { timeoutMs: 50 })
    expect(result).toMatchObject({ status: 'died', notices: [{ code: 'timeout' }, changed] })
  })

  it('changes without having been run is as it was', async () => {
    const program: Program = async (_io, { path }) => {
      writeFileSync(path, 'other')
      return { status: 'invalid' }
    }
    expect(await run(program)).toMatchObject({ status: 'invalid', notices: [] })
  })

  it('is there because its first line names it counts where a kernel took its text', async () => {
    const program: Program = async () => ok
    expect(await run(program, { takesText: true })).toMatchObject({ status: 'ok', notices: [] })
  })
})
