// @module-tag all

import type { CodeExecutor } from '@fenced/core'
import { WorkingDirectory } from '@fenced/python-env'
import type { DockerPythonEnvironment } from '@fenced/python-env/docker'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docker, TestImage } from './docker-support.ts'
import { folder, run } from './support.ts'

const commandLines = [
  'import glob',
  'for path in glob.glob("/proc/[0-9]*/cmdline"):',
  '    try: print(open(path).read().replace(chr(0), " "))',
  '    except OSError: pass',
]

describe.skipIf(docker.missing)('a program in an environment of Docker', () => {
  let image: TestImage
  let environment: DockerPythonEnvironment
  let executor: CodeExecutor
  beforeAll(async () => {
    image = await TestImage.make()
    environment = image.environment()
    executor = await environment.createExecutor()
  })
  afterAll(async () => {
    await executor?.stop()
    await environment?.stop()
    await image?.remove()
  })

  test('D-39: keeps its exit code', async () => {
    expect(await run(executor, 'python', 'raise SystemExit(17)')).toMatchObject({
      status: 'error',
      exitCode: 17,
    })
  })

  test('D-39: is really ended at its time limit, with what it started, and its output is kept', async () => {
    const code = [
      'import subprocess, sys, time',
      'subprocess.Popen(["sleep", "86399"])',
      'print("so far", flush=True)',
      'time.sleep(86398)',
    ].join('\n')
    const result = await executor.execute([{ language: 'python', code }], { timeoutMs: 8_000 })
    expect(result).toMatchObject({ status: 'timeout', exitCode: 124 })
    expect(result.output).toMatch(/^so far\n/)
    const { output } = await run(executor, 'python', ...commandLines)
    expect(output).toContain('python')
    expect(output).not.toContain('86399')
  })

  test('D-39: gives the same shape of result, whatever became of it', async () => {
    const results = [
      await run(executor, 'python', 'print(1)'),
      await run(executor, 'python', '1/0'),
      await executor.execute([{ language: 'python', code: 'while True: pass' }], { timeoutMs: 2_000 }),
    ]
    expect(results.map(({ status }) => status)).toEqual(['ok', 'error', 'timeout'])
    const shapes = results.map((result) => Object.keys(result).sort())
    expect(new Set(shapes.map(String)).size).toBe(1)
  })

  test('D-39: two executors at once do not write over each other', async () => {
    const workers = await Promise.all([1, 2].map(() => environment.createExecutor()))
    const outputs = await Promise.all(
      workers.map(async (worker, index) => {
        await run(worker, 'python', `open('script.txt', 'w').write('${index}')`)
        return (await run(worker, 'python', "print(open('script.txt').read())")).output
      }),
    )
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(outputs).toEqual(['0\n', '1\n'])
  })

  test('D-39: goes on in a container that is kept, as its executor is asked to', async () => {
    const directory = new WorkingDirectory(await folder())
    const kept = { workDir: directory, containerName: `${image.name}-kept`, stopContainer: false }
    const first = await environment.createExecutor(kept)
    await run(first, 'sh', 'echo here > /tmp/mark')
    await first.stop()
    const second = await environment.createExecutor(kept)
    const { output } = await run(second, 'sh', 'cat /tmp/mark')
    await second.stop()
    await image.docker.getContainer(kept.containerName).remove({ force: true, v: true })
    expect(output).toBe('here\n')
  })
})
