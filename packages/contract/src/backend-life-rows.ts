import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { archivesOf } from '@fenced/core/sandbox'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { exec, outputOf, patienceMs, run, shell, soon } from './backend-commands.ts'
import type { BackendRow } from './backend-row.ts'
import { writeTar } from './tar.ts'

export const backendLifeRows: readonly BackendRow[] = [
  {
    name: 'it says what it belongs to, and how long a connection is trusted, if it says anything',
    async check(target) {
      const { where = 'the sandbox', maxRestMs = 0 } = target.backend
      assert.match(where, /\S/)
      assert.ok(maxRestMs >= 0, `${maxRestMs}`)
      const process = await exec(target, ['true'])
      process.destroy()
      const mayBeLetAlone = process.ref !== undefined && process.unref !== undefined
      assert.ok(maxRestMs === 0 || mayBeLetAlone, 'a connection that may rest needs `ref` and `unref`')
    },
  },
  {
    name: 'a sandbox runs until it is removed, and removing it again is no fault',
    own: true,
    async check({ backend }) {
      assert.equal(await backend.state(), 'running')
      await backend.remove()
      assert.equal(await backend.state(), 'ended')
      await backend.remove()
      await Promise.all([backend.remove(), backend.remove({ signal: AbortSignal.timeout(patienceMs) })])
    },
  },
  {
    name: 'whatever is asked of a sandbox that was removed, it is gone',
    own: true,
    async check(target) {
      const { backend, directory } = target
      await backend.remove()
      const [gone, signal] = [{ code: 'SANDBOX_GONE' }, AbortSignal.timeout(patienceMs)]
      await assert.rejects(exec(target, ['true']), gone)
      await assert.rejects(
        archivesOf(backend).put(directory, Readable.from([writeTar([])]), { signal }),
        gone,
      )
      await assert.rejects(archivesOf(backend).get(directory, { signal }), gone)
    },
  },
  {
    name: 'what runs in a sandbox ends with it, and its output with it',
    own: true,
    async check(target) {
      const seconds = uniqueSeconds()
      const process = await exec(target, shell(`echo ready; (sleep ${seconds} &) ; sleep ${seconds}`))
      const ready = Promise.withResolvers<void>()
      const reading = process.read(() => ready.resolve())
      await ready.promise
      await target.backend.remove()
      await soon(reading, '`read` does not end')
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'two sandboxes know nothing of each other, and one goes on without the other',
    async check(target, subject) {
      const other = await subject.create()
      try {
        await outputOf(other, 'echo other > of-one-sandbox')
        assert.equal(await outputOf(target, 'cat of-one-sandbox 2> /dev/null'), '')
      } finally {
        await other.backend.remove()
      }
      assert.equal((await run(target, shell('exit 4'))).exitCode, 4)
    },
  },
  {
    name: 'a process keeps Node going; a sandbox does not in which none runs, or one that is let alone',
    needs: 'module',
    async check({ backend: { maxRestMs = 0 } }, { module = '' }) {
      const seconds = uniqueSeconds()
      const rest = maxRestMs === 0 ? '' : letAlone(seconds)
      await nodeEnds(`${programOf(module)}${rest}`, `done\n${rest && 'let alone\n'}removed\n`)
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
]

/** Runs a Node program, which must print this and end. */
async function nodeEnds(program: string, output: string): Promise<void> {
  // The condition is that of Fenced's own sources, where the module is one of them.
  const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    assert.equal(await soon(text(child.stdout), 'it holds Node up'), output)
  } finally {
    child.kill('SIGKILL')
  }
}

/** Node comes to `beforeExit` when nothing keeps it going; without a process that keeps it going it comes there too early. */
const programOf = (module: string) => `
import { create } from ${JSON.stringify(module)}
const { backend, directory } = await create()
const options = { cwd: directory, env: {}, stdin: false, signal: new AbortController().signal }
process.once('beforeExit', async () => {
  await backend.remove()
  console.log('removed')
})
const short = await backend.exec(['/bin/sh', '-c', 'sleep 1; echo done'], options)
if (backend.maxRestMs > 0) {
  short.unref()
  short.ref()
}
await short.read((_, chunk) => void process.stdout.write(chunk))
short.destroy()
`

const letAlone = (seconds: number) => `
const long = await backend.exec(['sleep', '${seconds}'], options)
long.unref()
long.read(() => {}).catch(() => {})
console.log('let alone')
`
