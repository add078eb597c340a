import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxCapabilities } from '@fenced/core/sandbox'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import type { SandboxRow } from './sandbox-row.ts'

/** Long enough for several steps of a counter. Nothing else shows that nothing happens. */
const whileMs = 200

const unlessPausable = ({ pause }: SandboxCapabilities) =>
  pause === true ? undefined : 'it cannot be paused'

export const pauseRows: readonly SandboxRow[] = [
  {
    name: 'a program stands still while the sandbox is paused, and continues',
    unless: unlessPausable,
    async check(sandbox) {
      let count = 0
      const counting = 'sh -c "while :; do echo; sleep 0.01; done" & while :; do echo; sleep 0.01; done'
      const process = await sandbox.spawn(['/bin/sh', '-c', counting])
      process.stdout.on('data', () => count++)
      await once(process.stdout, 'data')
      await sandbox.pause()
      assert.equal(sandbox.isPaused, true)
      // Its last output may be on the way.
      let before: number | undefined
      for (let round = 0; round < 100 && count !== before; round++) {
        before = count
        await sleep(whileMs)
      }
      assert.equal(count, before)
      await sandbox.resume()
      assert.equal(sandbox.isPaused, false)
      await once(process.stdout, 'data')
      await process.kill()
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', wasStopped: true })
    },
  },
  {
    name: 'a paused sandbox starts no process, and starts them again later',
    unless: unlessPausable,
    async check(sandbox) {
      await Promise.all([sandbox.pause(), sandbox.pause()])
      await assert.rejects(sandbox.spawn(['/bin/sh', '-c', ':']), { code: 'SANDBOX_PAUSED' })
      await Promise.all([sandbox.resume(), sandbox.resume()])
      const process = await sandbox.spawn(['/bin/sh', '-c', 'exit 3'])
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 3 })
    },
  },
  {
    name: 'those who watch hear of a pause and of its end',
    unless: unlessPausable,
    async check(sandbox) {
      const heard: boolean[] = []
      const watching = sandbox.watchPause?.((isPaused) => heard.push(isPaused))
      await sandbox.pause()
      await sandbox.resume()
      watching?.[Symbol.dispose]()
      await sandbox.pause()
      await sandbox.resume()
      assert.deepEqual(heard, [true, false])
    },
  },
  {
    name: 'a sandbox stops while it is paused, and leaves no process',
    own: true,
    unless: unlessPausable,
    async check(sandbox) {
      await sandbox.start()
      const seconds = uniqueSeconds()
      const process = await sandbox.spawn(['/bin/sh', '-c', `sleep ${seconds} & echo; sleep ${seconds}`])
      await once(process.stdout, 'data')
      await sandbox.pause()
      await sandbox.stop()
      assert.equal(sandbox.isPaused, false)
      assert.deepEqual(await processesLeft(`sleep ${seconds}`), [])
      await sandbox.start()
      assert.partialDeepStrictEqual(await (await sandbox.spawn(['/bin/sh', '-c', ':'])).ended, {
        exitCode: 0,
      })
    },
  },
  {
    name: 'a sandbox that cannot be paused says so',
    unless: ({ pause }) => (pause === true ? 'it can be paused' : undefined),
    async check(sandbox) {
      await assert.rejects(sandbox.pause(), { code: 'NOT_PAUSABLE' })
      assert.equal(sandbox.isPaused, false)
    },
  },
]
