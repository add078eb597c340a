// @module-tag nightly

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, python, sh } from './blocks.ts'
import { PrivateEngine, privateEngine } from './faults/private-engine.ts'
import { expectTrue, outcomeOf } from './faults/trial.ts'

describe.skipIf(privateEngine.missing)('a daemon that is killed', { timeout: 120_000 }, () => {
  let engine: PrivateEngine
  let workDir: string
  beforeAll(async () => {
    workDir = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    engine = await PrivateEngine.start({ images: ['fenced-test/busybox', 'fenced-test/python'] })
  }, 120_000)
  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]()
    await rm(workDir, { recursive: true, force: true })
  })

  it.each(['bind', 'copy'] as const)('under a block, which is then not ok: %s', async (workDirMode) => {
    const options = { image: 'fenced-test/busybox', docker: engine.address, workDir, workDirMode }
    const executor = new DockerCommandLineCodeExecutor({ ...options, containerName: 'first' })
    const seconds = uniqueSeconds()
    await writeFile(join(workDir, 'kept.txt'), 'kept')
    const execution = executor.execute([sh('echo early', `sleep ${seconds}`)])
    for await (const { type } of execution) if (type === 'stdout') await engine.kill()
    expect(expectTrue(await outcomeOf(execution), { stdout: 'early\n', exitCode: -1 })).not.toBe('right')

    const unreachable = { code: expect.stringMatching(/^ENGINE_(LOST|UNREACHABLE)$/) }
    expect(await outcomeOf(executor.execute([sh('true')]))).toMatchObject(unreachable)
    const other = new DockerCommandLineCodeExecutor(options)
    expect(await outcomeOf(other.start())).toMatchObject({ code: 'ENGINE_UNREACHABLE' })
    await other.stop()

    await engine.launch()
    expect(await printed(executor, sh('echo usable; cat kept.txt'))).toBe('usable\nkept')
    expect(await engine.containerNames()).toEqual(['first'])
    expect(await processesLeft(`${seconds}`)).toEqual([])
    await executor.stop()
    expect(await engine.containerNames()).toEqual([])
    expect(await readFile(join(workDir, 'kept.txt'), 'utf8')).toBe('kept')
  })

  it.each([false, true])('under a Python block, which has died: warm: %s', async (warm) => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/python',
      docker: engine.address,
      warm,
    })
    await printed(executor, python('print("first")'))
    const seconds = uniqueSeconds()
    const slow = python('import time', 'print("early", flush=True)', `time.sleep(${seconds})`)
    const execution = executor.execute([slow])
    for await (const { type } of execution) if (type === 'stdout') await engine.kill()
    const outcome = await outcomeOf(execution)
    await engine.launch()
    expect(outcome).toMatchObject({ status: 'died', output: expect.stringMatching(/^early\n/) })
    expect(await printed(executor, python('print("usable")'))).toBe('usable\n')
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  it('between blocks: stop() says so, and works when it is back', async () => {
    const executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/busybox',
      docker: engine.address,
    })
    await printed(executor, sh('true'))
    await engine.kill()
    expect(await outcomeOf(executor.stop())).toMatchObject({
      code: 'ENGINE_LOST',
      data: { engine: engine.address },
    })
    await engine.launch()
    await executor.stop()
    expect(await engine.containerNames()).toEqual([])
  })

  it('and comes back between blocks: the next one gets a new container', async () => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/busybox',
      docker: engine.address,
      containerName: 'between',
    })
    await printed(executor, sh('true'))
    await engine.kill()
    await engine.launch()
    expect(await printed(executor, sh('echo usable'))).toBe('usable\n')
    expect(await engine.containerNames()).toEqual(['between'])
  })

  it('anywhere during a start: the start fails, and a later one finds nothing in its way', async () => {
    for (const afterMs of [30, 80, 150, 250]) {
      const executor = new DockerCommandLineCodeExecutor({
        image: 'fenced-test/busybox',
        docker: engine.address,
        containerName: 'during',
      })
      const started = outcomeOf(executor.start())
      await delay(afterMs)
      await engine.kill()
      const outcome = await started
      if (FencedError.isInstance(outcome)) expect(outcome.code).toMatch(/^ENGINE_(LOST|UNREACHABLE)$/)
      await engine.launch()
      expect(await printed(executor, sh('echo usable')), `killed after ${afterMs} ms`).toBe('usable\n')
      expect(await engine.containerNames()).toEqual(['during'])
      await executor.stop()
      expect(await engine.containerNames()).toEqual([])
    }
  })
})
