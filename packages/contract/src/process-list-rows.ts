import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { SandboxRow } from './sandbox-row.ts'

export const processListRows: readonly SandboxRow[] = [
  {
    name: 'a process is listed with its command, start and role until it ends',
    async check(sandbox) {
      const before = Date.now()
      const command = ['/bin/sh', '-c', 'echo; sleep 1000'] as const
      const process = await sandbox.spawn(command)
      await once(process.stdout, 'data')
      const listed = sandbox.processes.list()
      assert.partialDeepStrictEqual(listed, [{ id: process.id, command, role: 'process' }])
      const startedAt = Date.parse(listed[0]?.startedAt ?? '')
      assert.ok(startedAt >= before && startedAt <= Date.now(), listed[0]?.startedAt)
      await sandbox.files.stat('no-such-file')
      assert.equal(sandbox.processes.list().length, 1)
      await sandbox.process(process.id ?? '')?.kill()
      await process.ended
      assert.deepEqual(sandbox.processes.list(), [])
      assert.equal(sandbox.process(process.id ?? ''), undefined)
    },
  },
  {
    name: 'the output of a process can be followed from now on, besides its reader',
    async check(sandbox) {
      const script = 'while read -r line; do echo "$line"; done'
      const process = await sandbox.spawn(['/bin/sh', '-c', script], { stdin: 'open' })
      const say = async (line: string) => {
        process.stdin?.write(`${line}\n`)
        assert.equal(`${await once(process.stdout, 'data')}`, `${line}\n`)
      }
      await say('before')
      const heard: string[] = []
      const following = sandbox.process(process.id ?? '')?.watchOutput?.((stream, chunk) => {
        heard.push(stream, `${Buffer.from(chunk)}`)
      })
      process.watchOutput?.(() => {
        throw new Error('a follower must not end the process')
      })
      await say('now')
      following?.[Symbol.dispose]()
      await say('after')
      assert.deepEqual(heard, ['stdout', 'now\n'])
      await process.kill()
    },
  },
  {
    name: 'a signal of any name reaches the program',
    async check(sandbox) {
      for (const stdin of ['none', 'open'] as const) {
        const script =
          'trap "echo one" USR1; trap "echo change" WINCH; echo ready; while :; do sleep 0.05; done'
        const process = await sandbox.spawn(['/bin/sh', '-c', script], { stdin })
        const heard = async () => `${await once(process.stdout, 'data')}`.trim()
        assert.equal(await heard(), 'ready')
        for (const [name, line] of [['SIGUSR1', 'one'] as const, ['SIGWINCH', 'change'] as const]) {
          const [said] = await Promise.all([heard(), process.signal(name)])
          assert.equal(said, line)
        }
        await process.signal('SIGKILL')
        assert.partialDeepStrictEqual(await process.ended, {
          kind: 'exited',
          exitCode: 137,
          wasStopped: true,
        })
      }
    },
  },
  {
    name: 'a signal that does not exist is refused',
    async check(sandbox) {
      const process = await sandbox.spawn(['/bin/sh', '-c', 'sleep 1000'])
      await assert.rejects(process.signal('SIGNONE' as NodeJS.Signals), { code: 'INVALID_OPTIONS' })
      await process.kill()
    },
  },
]
