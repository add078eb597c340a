import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Notice } from '@fenced/core'
import { requirement, rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { sh } from './blocks.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/python'
const root = requirement('root', process.getuid?.() === 0 ? undefined : 'the tests do not run as root')

const rows = rowTags({ nightly: [': bind'] })

describe.skipIf(docker.missing || root.missing)('code in a container of a host that is root', () => {
  function directory(): string {
    const path = mkdtempSync(join(tmpdir(), 'fenced-work-'))
    chmodSync(path, 0o755)
    onTestFinished(() => rmSync(path, { recursive: true }))
    return path
  }

  async function run(options: DockerExecutorOptions, ...lines: string[]) {
    const notices: Notice[] = []
    await using executor = new DockerCommandLineCodeExecutor({ image, ...options })
    await executor.start({ onNotice: (notice) => notices.push(notice) })
    const { output } = await executor.execute([sh(...lines)])
    return { output, notices: notices.map(({ code, data }) => ({ code, data })) }
  }

  const whoAmI = 'echo $(id -u):$(id -g)'

  it('is nobody, who owns a temporary directory with all that the host writes there', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image })
    await executor.start()
    await executor.sandbox?.files.write('deep/er/data', 'one ')
    const edit = sh(whoAmI, 'echo two >> deep/er/data', 'touch deep/er/more', 'cat deep/er/data')
    expect((await executor.execute([edit])).output).toBe('65534:65534\none two\n')
  })

  it.each(['missing', 'empty'])(
    'is nobody, who becomes the owner of a directory that is %s',
    rowTags({ nightly: ['that is missing'] }),
    async (which) => {
      const workDir = which === 'empty' ? directory() : join(directory(), 'new')
      const { output, notices } = await run({ workDir }, whoAmI, 'echo made > made')
      expect([output, notices]).toEqual(['65534:65534\n', []])
      expect([workDir, join(workDir, 'made')].map((path) => statSync(path).uid)).toEqual([65_534, 65_534])
    },
  )

  it('is the owner of a directory that belongs to another user', async () => {
    const workDir = directory()
    chownSync(workDir, 4_321, 0)
    writeFileSync(join(workDir, 'of root'), 'data')
    const { output } = await run({ workDir, workDirMode: 'bind' }, whoAmI, 'cat "of root"', 'touch made')
    expect(output).toBe('4321:65534\ndata')
    expect(['of root', 'made'].map((name) => statSync(join(workDir, name)).uid)).toEqual([0, 4_321])
  })

  it.each([
    ['auto', 'more\n'],
    ['bind', 'no\n'],
  ] as const)('leaves the owner to files of root, and says so: %s', rows, async (workDirMode, expected) => {
    const workDir = directory()
    writeFileSync(join(workDir, 'theirs'), '')
    const edit = '(echo more >> theirs) 2>/dev/null || echo no; cat theirs'
    const { output, notices } = await run({ workDir, workDirMode }, whoAmI, edit)
    const data = { path: workDir, user: '65534:65534', option: 'user' }
    expect([output, notices]).toEqual([`65534:65534\n${expected}`, [{ code: 'work-dir-not-writable', data }]])
    expect([workDir, join(workDir, 'theirs')].map((path) => statSync(path).uid)).toEqual([0, 0])
  })

  it('is root where the options say so', { tags: 'nightly' }, async () => {
    const workDir = directory()
    mkdirSync(join(workDir, 'theirs'))
    const { output, notices } = await run({ workDir, user: 'root' }, whoAmI, 'touch theirs/made')
    expect([output, notices]).toEqual(['0:0\n', []])
    expect(statSync(join(workDir, 'theirs', 'made')).uid).toBe(0)
  })
})
