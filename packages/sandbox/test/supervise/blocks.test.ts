// @module-tag all

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { HostWorkDirectory } from '@fenced/core/driver'
import { archivesOf, type SandboxBackend } from '@fenced/core/sandbox'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  CommandLineCodeExecutor,
  type CommandLineExecutorOptions,
  type LaunchedSandbox,
} from '../../src/index.ts'
import { namespaces } from '../contained-backend.ts'
import { type LocalSandboxOptions, localSandbox } from '../local-sandbox.ts'
import { python } from '../python.ts'

const sh = (code: string) => [{ language: 'sh', code }]

/** An executor in a sandbox, both of which end with the test. */
function inSandbox(options: LocalSandboxOptions = {}, own: Partial<CommandLineExecutorOptions> = {}) {
  const made = localSandbox(options)
  const executor = new CommandLineCodeExecutor({ sandbox: made.sandbox, warm: false, ...own })
  onTestFinished(async () => {
    await executor.stop()
    await made.sandbox.stop()
  })
  return { ...made, executor }
}

const codes = (blocks: readonly { readonly notices: readonly { readonly code: string }[] }[]) =>
  blocks.flatMap(({ notices }) => notices.map(({ code }) => code))

describe('blocks in a sandbox with a copy of the working directory', () => {
  it('find what is here, and leave here what they make, change and remove', async () => {
    const { executor, hostPath } = inSandbox({ isMounted: false })
    await executor.start()
    await writeFile(join(hostPath, 'given'), 'one')
    await mkdir(join(hostPath, 'directory'))
    await writeFile(join(hostPath, 'directory/kept'), 'kept')
    const first = await executor.execute(
      sh('cat given directory/kept; echo two > given; mkdir -p made/in; echo 3 > made/in/file'),
    )
    expect(first.output).toBe('onekept')
    expect(first.files.map(({ path }) => path).toSorted()).toEqual(['given', 'made/in/file'])
    expect(readFileSync(join(hostPath, 'given'), 'utf8')).toBe('two\n')
    expect(readFileSync(join(hostPath, 'made/in/file'), 'utf8')).toBe('3\n')
    await rm(join(hostPath, 'directory'), { recursive: true })
    await rm(join(hostPath, 'given'))
    const second = await executor.execute(sh('ls; rm -r made'))
    expect(second.output).toBe('made\n')
    expect((await readdir(hostPath)).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  it('are told what is not copied', async () => {
    const { executor } = inSandbox({ isMounted: false })
    const { blocks } = await executor.execute(sh('mkfifo pipe; echo 1 > file'))
    expect(blocks[0]?.notices).toMatchObject([
      { code: 'files-not-copied', data: { path: 'pipe', count: '1' } },
    ])
  })

  it('get all of it in a new sandbox, and are told', async () => {
    const { executor, launches, hostPath } = inSandbox({ isMounted: false })
    await executor.execute(sh('echo 1 > file'))
    await launches[0]?.backend.remove()
    const { output, blocks } = await executor.execute(sh('cat file'))
    expect(output).toContain('1\n')
    expect(codes(blocks)).toEqual(['container-replaced'])
    expect(launches).toHaveLength(2)
    expect(existsSync(join(hostPath, 'file'))).toBe(true)
    expect(codes((await executor.execute(sh('cat file'))).blocks)).toEqual([])
  })
})

/** An executor that has started. It does something before the files of its first block leave the sandbox. */
async function copyingLate(work: (backend: SandboxBackend) => Promise<void>) {
  let isDue = false
  const change = ({ backend }: LaunchedSandbox) => {
    const { put, get } = archivesOf(backend)
    const late: SandboxBackend = {
      maxRestMs: Number.POSITIVE_INFINITY,
      exec: (...given) => backend.exec(...given),
      state: () => backend.state(),
      remove: () => backend.remove(),
      put,
      async get(path, options) {
        if (isDue) {
          isDue = false
          await work(backend)
        }
        return get(path, options)
      },
    }
    return { backend: late }
  }
  const { executor } = inSandbox({ isMounted: false, change }, { warm: true })
  await executor.start()
  isDue = true
  return executor
}

describe.skipIf(python.missing)('blocks whose files are copied', () => {
  it('are not run again when their sandbox is lost before the copy', async () => {
    const executor = await copyingLate(async (backend) => {
      await backend.remove()
      throw new FencedError({ code: 'SANDBOX_GONE', message: 'It ended.' })
    })
    const { output, blocks } = await executor.execute(sh('echo once; echo 1 > file'))
    expect(output.match(/once/g)).toHaveLength(1)
    expect(blocks).toMatchObject([{ status: 'died' }])
  })

  it('need no time of their own for the copy', async () => {
    const timeoutMs = 3_000
    const executor = await copyingLate(() => delay(timeoutMs + 500))
    const code = "open('file', 'w').write('1')"
    const { status, files } = await executor.execute([{ language: 'python', code }], { timeoutMs })
    expect(status).toBe('ok')
    expect(files.map(({ path }) => path)).toEqual(['file'])
  })
})

describe('blocks in a sandbox with the working directory', () => {
  it('get a new sandbox when the directory was removed and made again', async () => {
    const path = await mkdtemp(join(tmpdir(), 'fenced-mounted-'))
    onTestFinished(() => rm(path, { recursive: true }))
    const { executor, launches } = inSandbox({ workDirectory: new HostWorkDirectory({ path }) })
    await executor.execute(sh('true'))
    // Made before the other is removed, so that it cannot get the same inode, which a mount would hold.
    const next = await mkdtemp(join(tmpdir(), 'fenced-mounted-'))
    await rm(path, { recursive: true })
    await rename(next, path)
    const { blocks } = await executor.execute(sh('echo here > file'))
    expect(codes(blocks)).toEqual(['container-replaced'])
    expect(launches).toHaveLength(2)
    expect(await readdir(path)).toContain('file')
  })

  it('die with their sandbox, and the next one gets another', async () => {
    const { executor, launches } = inSandbox()
    const running = executor.execute(sh(`echo begun; sleep ${uniqueSeconds()}`))
    for await (const { type } of running) if (type === 'stdout') await launches[0]?.backend.remove()
    expect((await running).blocks).toMatchObject([{ status: 'died' }])
    const next = await executor.execute(sh('echo 1'))
    expect(next.status).toBe('ok')
    expect(codes(next.blocks)).toEqual(['container-replaced'])
  })

  it('are run by what is there for their language, or told that nothing is', async () => {
    const { executor } = inSandbox(
      {},
      {
        languages: [
          {
            id: 'nothing',
            kind: 'run',
            commands: [['no-such-interpreter']],
            extension: 'x',
            aliases: [],
            comments: [],
          },
        ],
      },
    )
    const { blocks } = await executor.execute([{ language: 'nothing', code: '1' }])
    expect(blocks).toMatchObject([{ status: 'invalid', exitCode: 127 }])
    expect(codes(blocks)).toEqual(['no-interpreter'])
  })

  it.skipIf(namespaces.missing)(
    'report what has fled from one of them, where others use the sandbox as well',
    async () => {
      const { executor } = inSandbox({ change: () => ({ isExclusive: false }) })
      const flee = `setsid env -i sleep ${uniqueSeconds()} > /dev/null 2>&1 &
while grep -q PATH= /proc/$!/environ; do :; done`
      const ends = [await executor.execute(sh(flee)), await executor.execute(sh('sleep 600 &'))]
      expect(ends.map(({ status, blocks }) => [status, codes(blocks)])).toEqual([
        ['ok', ['left-behind']],
        ['ok', []],
      ])
    },
  )

  it('that do not end are ended with their sandbox, unless it is kept', async () => {
    const stuck = { kind: 'stuck', message: 'It does not end.' } as const
    const { sandbox, launches, executor } = inSandbox()
    await executor.start()
    const { spawn } = sandbox
    sandbox.spawn = async (...given) => {
      const process = await spawn.apply(sandbox, given)
      return Object.assign(Object.create(process), { ended: process.ended.then(() => stuck) })
    }
    await executor.execute(sh('true'))
    expect(await launches[0]?.backend.state()).toBe('ended')
    await executor.execute(sh('true'))
    expect(launches).toHaveLength(2)
  })

  it('keep a sandbox that outlives them and does not answer', async () => {
    const stuck = { kind: 'stuck', message: 'It does not end.' } as const
    let isSilent = false
    const { sandbox, launches, executor } = inSandbox({
      change: ({ backend }) => ({
        outlivesStop: true,
        backend: new Proxy(backend, {
          get(target, key) {
            if (key === 'state' && isSilent) return async () => 'unknown'
            const value = Reflect.get(target, key)
            return typeof value === 'function' ? value.bind(target) : value
          },
        }),
      }),
    })
    await executor.start()
    const { spawn } = sandbox
    sandbox.spawn = async (...given) => {
      isSilent = true
      const process = await spawn.apply(sandbox, given)
      return Object.assign(Object.create(process), { ended: process.ended.then(() => stuck) })
    }
    const { blocks } = await executor.execute(sh('true'))
    expect(codes(blocks)).toContain('leftovers-remain')
    isSilent = false
    expect(await launches[0]?.backend.state()).toBe('running')
    await sandbox.stop()
    await launches[0]?.backend.remove()
  })
})
