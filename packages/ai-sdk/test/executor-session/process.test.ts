// @module-tag all

import { buffer, text } from 'node:stream/consumers'
import { uniqueSeconds } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { begun, commandLines, firstOf } from '../session/watch.ts'
import { describeEachExecutor, subjectRows, subjects, toSandboxSession } from './executors.ts'

describeEachExecutor((get) => {
  it('variables are on no command line of this machine', async () => {
    const { session } = get()
    const seconds = uniqueSeconds()
    const secret = `secret-of-${seconds}-`.replace('.', '-')
    const process = await session.spawn({
      command: `echo "$SECRET"; sleep ${seconds}`,
      env: { SECRET: secret },
    })
    expect(await firstOf(process.stdout)).toBe(`${secret}\n`)
    await begun(`${seconds}`)
    expect(commandLines().filter((line) => line.includes(secret))).toEqual([])
    await process.kill()
  })

  it('a process has the bytes that its program writes, also where they are not UTF-8', async () => {
    const process = await get().session.spawn({
      command: "printf '\\377\\001\\303'; sleep 0.1; printf '\\251'; printf '\\376' >&2",
    })
    const [stdout, stderr] = await Promise.all([buffer(process.stdout), buffer(process.stderr)])
    expect([stdout.toString('hex'), stderr.toString('hex')]).toEqual(['ff01c3a9', 'fe'])
  })

  it('a variable has its bytes, also line endings and quotes', async () => {
    const value = "\ra\r\n'b\\ $c\n\r"
    const { stdout } = await get().session.run({
      command: 'printf %s "$GIVEN" | od -An -c',
      env: { GIVEN: value },
    })
    expect(stdout.split(/\s+/).join('')).toBe("\\ra\\r\\n'b\\$c\\n\\r")
  })

  it('a process that writes more than is read waits, and nothing is lost', async () => {
    const { session, outside } = get()
    const size = 50_000_000
    const process = await session.spawn({
      command: `mkdir -p ${outside}; head -c ${size} /dev/zero; touch ${outside}/written`,
    })
    const reader = process.stdout.getReader()
    let length = 0
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      length += chunk.value.length
    expect(length).toBe(size)
    expect(await process.wait()).toEqual({ exitCode: 0 })
  })

  it('a process whose output nobody reads has not gone on', async () => {
    const { session, outside } = get()
    const path = `${outside}/written-unread`
    const command = `mkdir -p ${outside}; head -c 50000000 /dev/zero; touch ${path}`
    const process = await session.spawn({ command })
    await firstOf(process.stdout)
    await new Promise((resolve) => setTimeout(resolve, 500))
    await process.kill()
    expect(await process.wait()).toEqual({ exitCode: 125 })
    expect(await session.stat({ path })).toBeNull()
  })

  it('a stream that nobody wants can be cancelled, and the process goes on to its end', async () => {
    const { session } = get()
    const process = await session.spawn({
      command: 'i=0; while [ $i -lt 400 ]; do printf "%010000d" $i; i=$((i + 1)); done; exit 7',
    })
    await process.stdout.cancel()
    expect(await process.wait()).toEqual({ exitCode: 7 })
  })

  it('beside a process that holds the executor a plain file of the working directory can be read', async () => {
    const { session } = get()
    await session.writeTextFile({ path: 'log', content: 'line\n' })
    const process = await session.spawn({ command: 'echo begun; sleep 60' })
    await firstOf(process.stdout)
    expect(await session.readTextFile({ path: 'log' })).toBe('line\n')
    await process.kill()
  })
})

describe.each(subjects)('$name', { concurrent: true, ...subjectRows }, ({ create, missing }) => {
  it.skipIf(missing)(
    'with createExecutor a process runs beside the session, in the same directory',
    async () => {
      await using executor = create()
      const made: string[] = []
      const session = toSandboxSession(executor, {
        createExecutor: () => {
          const beside = create({ workDir: executor.workDir ?? '', allowSharedWorkDir: true })
          const stop = beside.stop.bind(beside)
          beside.stop = async () => {
            await stop()
            made.push('stopped')
          }
          return beside
        },
      })
      await session.writeTextFile({ path: 'shared', content: 'both' })
      const process = await session.spawn({ command: 'echo "$(cat shared)"; sleep 60' })
      expect(await firstOf(process.stdout)).toBe('both\n')
      expect((await session.run({ command: 'cat shared' })).stdout).toBe('both')
      await process.kill()
      expect(made).toEqual(['stopped'])
    },
  )

  it.skipIf(missing)('a time limit is exit code 124, with the reason for whoever reads', async () => {
    await using executor = create({ timeoutMs: 60_000 })
    const session = toSandboxSession(executor, { timeoutMs: 2_000, spawnTimeoutMs: 2_500 })
    const { exitCode, stdout, stderr } = await session.run({
      command: 'printf out; printf err >&2; sleep 60',
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 124, stdout: 'out' })
    expect(stderr).toMatch(/^err\n.+\n$/)
    const process = await session.spawn({ command: 'sleep 60' })
    expect(await text(process.stderr)).not.toBe('')
    expect(await process.wait()).toEqual({ exitCode: 124 })
    const unread = await session.spawn({ command: 'cat /dev/zero' })
    expect(await unread.wait()).toEqual({ exitCode: 124 })
    expect(await text(unread.stderr)).not.toBe('')
  })

  it.skipIf(missing)(
    'when the executor is stopped, what runs ends with 125 and later calls say why they cannot',
    async () => {
      await using executor = create()
      const session = toSandboxSession(executor)
      const process = await session.spawn({ command: 'echo begun; sleep 60' })
      await firstOf(process.stdout)
      await executor.stop()
      expect(await process.wait()).toEqual({ exitCode: 125 })
      await expect(session.run({ command: 'true' })).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
      const late = await session.spawn({ command: 'true' })
      await expect(late.wait()).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
      await expect(text(late.stdout)).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
    },
  )
})
