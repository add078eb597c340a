import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowTags } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, sh } from './blocks.ts'
import { PrivateEngine, privateEngine } from './faults/private-engine.ts'
import { SmallDisk, smallDisk } from './faults/small-disk.ts'
import { outcomeOf } from './faults/trial.ts'

const image = 'fenced-test/busybox'

describe.skipIf(privateEngine.missing || smallDisk.missing).each(['bind', 'copy'] as const)(
  'a working directory without room: %s',
  { ...rowTags({ nightly: [': copy'] }), timeout: 60_000 },
  (workDirMode) => {
    function disk(): SmallDisk {
      const small = new SmallDisk(65_536)
      onTestFinished(() => small[Symbol.dispose]())
      return small
    }

    /** One that is started after the disk was mounted, and therefore sees it. */
    async function executorOn({ path }: SmallDisk): Promise<DockerCommandLineCodeExecutor> {
      const engine = await PrivateEngine.start()
      onTestFinished(() => engine[Symbol.asyncDispose]())
      return new DockerCommandLineCodeExecutor({ image, docker: engine.address, workDirMode, workDir: path })
    }

    it('the block is not run, and the error says what to do', async () => {
      const small = disk()
      await using executor = await executorOn(small)
      await executor.start()
      small.fill()
      const outcome = await outcomeOf(executor.execute([sh('echo run')]))
      expect(outcome).toMatchObject({
        code: 'WORK_DIR_UNUSABLE',
        data: { path: small.path, systemCode: 'ENOSPC' },
        result: { output: '' },
      })
      small.clear()
      expect(await printed(executor, sh('echo run'))).toBe('run\n')
    })

    it('what the program writes there is its own failure, or that of its files, and the output is kept', async () => {
      const small = disk()
      await using executor = await executorOn(small)
      await executor.start()
      const program = sh('echo before', 'head -c 200000 /dev/zero > large || exit 3', 'echo after')
      const outcome = await outcomeOf(executor.execute([program]))
      if (workDirMode === 'bind') {
        expect(outcome).toMatchObject({ status: 'error', exitCode: 3 })
        expect(outcome).toMatchObject({ blocks: [{ stdout: 'before\n' }] })
      } else {
        expect(outcome).toMatchObject({
          code: 'WORK_DIR_UNUSABLE',
          data: { path: small.path, systemCode: 'ENOSPC' },
          result: { status: 'died', blocks: [{ stdout: 'before\nafter\n' }] },
        })
      }
      await rm(join(small.path, 'large'), { force: true })
      expect(await printed(executor, sh('rm -f large; echo usable'))).toBe('usable\n')
    })
  },
)

describe.skipIf(privateEngine.missing || smallDisk.missing)(
  'an engine without room',
  { timeout: 120_000 },
  () => {
    it('says DISK_FULL when the container is made, and works again when there is room', async () => {
      await using engine = await PrivateEngine.start({ diskBytes: 2 ** 25 })
      await using executor = new DockerCommandLineCodeExecutor({ image, docker: engine.address })
      engine.disk?.fill()
      expect(await outcomeOf(executor.start())).toMatchObject({
        code: 'DISK_FULL',
        data: { reason: expect.stringMatching(/no space left on device/i), command: 'docker system df' },
      })
      engine.disk?.clear()
      expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
      await executor.stop()
      expect(await engine.containerNames()).toEqual([])
    })

    it('says DISK_FULL when files do not fit, and nothing is lost here', async () => {
      const workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
      onTestFinished(() => rm(workDir, { recursive: true, force: true }))
      await using engine = await PrivateEngine.start({ diskBytes: 2 ** 25 })
      await using executor = new DockerCommandLineCodeExecutor({
        image,
        docker: engine.address,
        workDir,
        workDirMode: 'copy',
      })
      await executor.start()
      engine.disk?.fill()
      await writeFile(join(workDir, 'large.txt'), 'x'.repeat(300_000))
      expect(await outcomeOf(executor.execute([sh('echo run')]))).toMatchObject({
        code: 'DISK_FULL',
        data: { reason: expect.stringMatching(/no space left on device/i), command: 'docker system df' },
      })
      engine.disk?.clear()
      expect(await printed(executor, sh('wc -c < large.txt'))).toBe('300000\n')
      expect(await readFile(join(workDir, 'large.txt'), 'utf8')).toHaveLength(300_000)
      await executor.stop()
      expect(await engine.containerNames()).toEqual([])
    })
  },
)
