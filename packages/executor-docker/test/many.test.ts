// @module-tag nightly

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, python, sh } from './blocks.ts'
import { containersNamed } from './raw-engine.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('many', { timeout: 240_000 }, () => {
  it('executors at once do not hear or see each other, not even in one working directory', async () => {
    const prefix = `fenced-test-many-${uniqueSeconds()}`
    const shared = await mkdtemp(join(tmpdir(), 'fenced-test-'))
    onTestFinished(() => rm(shared, { recursive: true, force: true }))
    const results = await Promise.all(
      Array.from({ length: 10 }, async (_, number) => {
        await using executor = new DockerCommandLineCodeExecutor({
          image: 'fenced-test/python',
          containerName: `${prefix}-${number}`,
          ...(number < 2 ? { workDir: shared } : {}),
          workDirMode: number % 5 === 4 ? 'copy' : 'bind',
        })
        return await executor.execute([
          sh(`echo ${number} > ${number}.txt; echo ${number} > /tmp/mine; echo out ${number}`),
          python(`print(open("${number}.txt").read() * 1000, end="")`),
          sh(`cat /tmp/mine >&2; ls /tmp; echo last of ${number} >> ${number}.txt; cat ${number}.txt`),
        ])
      }),
    )
    for (const [number, result] of results.entries()) {
      expect(result).toMatchObject({ status: 'ok', exitCode: 0 })
      expect(result.blocks.map(({ stdout }) => stdout)).toEqual([
        `out ${number}\n`,
        `${number}\n`.repeat(1_000),
        `mine\n${number}\nlast of ${number}\n`,
      ])
      expect(result.blocks[2]?.stderr).toBe(`${number}\n`)
      // In one directory a file of somebody else's may be seen to come: one's own is there in any case.
      expect(result.files.map(({ path }) => path)).toContain(`${number}.txt`)
      if (number >= 2) expect(result.files).toHaveLength(1)
    }
    for (const number of [0, 1]) {
      expect(await readFile(join(shared, `${number}.txt`), 'utf8')).toBe(`${number}\nlast of ${number}\n`)
    }
    expect(await containersNamed(prefix)).toEqual([])
  })

  it('calls of one executor wait for each other, in their order', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image: 'fenced-test/busybox' })
    const outputs = await Promise.all(
      Array.from({ length: 20 }, (_, number) => printed(executor, sh(`echo ${number} >> log; cat log`))),
    )
    const lines = Array.from({ length: 20 }, (_, number) => `${number}\n`)
    expect(outputs).toEqual(lines.map((_, number) => lines.slice(0, number + 1).join('')))
  })

  it('starts and stops leave no container, and nothing that keeps the process', async () => {
    const containerName = `fenced-test-many-${uniqueSeconds()}`
    const program = join(import.meta.dirname, 'programs/start-and-stop.ts')
    const options = { image: 'fenced-test/busybox', containerName }
    const args = ['--conditions=@fenced/source', program, JSON.stringify(options)]
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => {
      host.kill('SIGKILL')
    })
    const ended = once(host, 'exit')
    expect(await text(host.stdout)).toBe('10')
    expect(await ended).toEqual([0, null])
    expect(await containersNamed(containerName)).toEqual([])
  })
})
