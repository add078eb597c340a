import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamName } from '@fenced/core/driver'
import { exec, exitCodeOf, outputOf, run, shell, soon, until } from './backend-commands.ts'
import type { BackendRow, BackendUnderTest } from './backend-row.ts'

export const backendProcessRows: readonly BackendRow[] = [
  {
    name: 'a command gives its output on both streams, in the order of its arrival',
    async check(target) {
      const process = await exec(
        target,
        shell('echo one; read line; echo two >&2; read line; echo three; read line; echo four >&2'),
        { stdin: true },
      )
      const arrived: [StreamName, string][] = []
      await process.read((stream, chunk) => {
        const count = arrived.push([stream, Buffer.from(chunk).toString()])
        // Each comes when the one before has arrived.
        if (count < 3) process.stdin?.write('go\n')
        if (count === 3) process.stdin?.end('go\n')
      })
      assert.deepEqual(arrived, [
        ['stdout', 'one\n'],
        ['stderr', 'two\n'],
        ['stdout', 'three\n'],
        ['stderr', 'four\n'],
      ])
    },
  },
  {
    name: 'the exit code is not known while a command runs, and then stays its own',
    async check(target) {
      const process = await exec(target, shell('read line; exit 3'), { stdin: true })
      const reading = process.read(() => {})
      assert.equal(await process.poll(), undefined)
      process.stdin?.end('go\n')
      await reading
      assert.equal(await exitCodeOf(process), 3)
      await sleep(100)
      assert.equal(await process.poll(), 3)
      assert.equal((await run(target, shell('kill -9 $$'))).exitCode, 137)
      assert.equal((await run(target, ['true'])).exitCode, 0)
    },
  },
  {
    name: 'a command gets its arguments as they are, whatever is in them',
    async check(target) {
      const signs = ['$HOME', '`id`', '"', "'", '\\', '*', '!', '#']
      const words = [...signs, 'a  b', '', 'line\nline', '\u{1f600}', '-n']
      const { stdout } = await run(target, shell('printf "%s|" "$@"', ...words))
      assert.equal(stdout, words.map((word) => `${word}|`).join(''))
    },
  },
  {
    name: 'a command starts in the directory that is named',
    async check(target) {
      const odd = `${target.directory}/in a 'directory'; $(pwd)`
      await run(target, ['mkdir', odd])
      for (const cwd of ['/', odd]) assert.equal((await run(target, ['pwd'], { cwd })).stdout, `${cwd}\n`)
    },
  },
  {
    name: 'variables are added to those of the sandbox',
    async check(target) {
      const env = { FENCED_ROW: `a 'b' "c" $HOME\nnext line`, FENCED_EMPTY: '' }
      const script = `echo "$FENCED_ROW|\${FENCED_EMPTY-unset}|"`
      assert.equal((await run(target, shell(script), { env })).stdout, `${env.FENCED_ROW}||\n`)
      assert.match((await run(target, ['env'], { env })).stdout, /^PATH=./m)
    },
  },
  {
    name: 'a command runs as the user that is named',
    needs: 'otherUser',
    async check(target, { otherUser }) {
      const { stdout } = await run(target, ['id', '-u'], { user: otherUser?.user, cwd: '/' })
      assert.equal(stdout, `${otherUser?.id}\n`)
      assert.notEqual(await outputOf(target, 'id -u'), stdout)
    },
  },
  {
    name: 'a command runs as a user and a group by their numbers, `uid:gid`, as a `SupervisedSandbox` asks',
    async check(target, { otherUser }) {
      const idsOf = async (user?: string) =>
        (await run(target, shell('echo "$(id -u):$(id -g)"'), { user, cwd: '/' })).stdout.trim()
      for (const user of otherUser === undefined ? [undefined] : [undefined, otherUser.user]) {
        const ids = await idsOf(user)
        assert.match(ids, /^\d+:\d+$/)
        assert.equal(await idsOf(ids), ids)
      }
    },
  },
  {
    name: 'a command has an empty stdin unless it is open',
    async check(target) {
      const process = await exec(target, shell('cat; echo end'))
      assert.equal(process.stdin, undefined)
      process.destroy()
      assert.equal(await soon(outputOf(target, 'cat; echo end'), 'its stdin does not end'), 'end\n')
    },
  },
  {
    name: 'what goes in by the megabyte comes out while it does, and an end of stdin is only that',
    async check(target) {
      const process = await exec(target, shell('cat; echo end >&2; exit 5'), { stdin: true })
      const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
      const received: Buffer[] = []
      let words = ''
      const reading = process.read((stream, chunk) => {
        if (stream === 'stdout') received.push(Buffer.from(chunk))
        else words += Buffer.from(chunk).toString()
      })
      for (let at = 0; at < sent.length; at += 70_000) {
        const hasRoom = process.stdin?.write(sent.subarray(at, at + 70_000))
        if (hasRoom === false && process.stdin) await soon(once(process.stdin, 'drain'), 'stdin is not taken')
      }
      process.stdin?.end()
      await reading
      assert.ok(Buffer.concat(received).equals(sent))
      assert.equal(words, 'end\n')
      assert.equal(await exitCodeOf(process), 5)
    },
  },
  {
    name: 'empty pieces of stdin hold up neither what follows nor its end',
    async check(target) {
      for (const pieces of [[''], ['a', '', 'b', '']]) {
        const process = await exec(target, shell('cat'), { stdin: true })
        let output = ''
        const reading = process.read((_, chunk) => {
          output += Buffer.from(chunk).toString()
        })
        for (const piece of pieces.slice(0, -1)) process.stdin?.write(piece)
        process.stdin?.end(pieces.at(-1))
        await soon(reading, 'its stdin does not end')
        assert.equal(output, pieces.join(''))
      }
    },
  },
  {
    name: 'a connection that is let go of shows as the end of stdin to the process',
    async check(target) {
      const process = await exec(target, shell('echo ready; cat > /dev/null; echo ended > let-go'), {
        stdin: true,
      })
      const ready = Promise.withResolvers<void>()
      const reading = process.read(() => ready.resolve())
      await ready.promise
      process.destroy()
      await soon(reading, '`read` does not end')
      await until(async () => (await outputOf(target, 'cat let-go')) === 'ended\n', 'its stdin does not end')
    },
  },
  {
    name: 'a sink that holds back holds up the process, and nothing is lost of a hundred megabytes',
    async check(target) {
      // Where its end would cut off what is not read, a process ends when its reader has everything.
      const mustWait = target.backend.losesUnreadOutput === true
      const script =
        'for i in $(seq 100); do head -c 1048576 /dev/zero; echo $i >> written; done; echo end >&2'
      const process = await exec(target, shell(mustWait ? `${script}; cat` : script), { stdin: mustWait })
      let bytes = 0
      let held: Promise<void> | undefined
      await process.read((stream, chunk) => {
        assert.equal(held, undefined, 'the sink is called although its promise is pending')
        const isFirst = bytes === 0
        if (stream === 'stdout') bytes += chunk.length
        if (mustWait && bytes === 104_857_600) process.stdin?.end()
        if (!isFirst && bytes % 10_000_000 > chunk.length) return undefined
        held = (isFirst ? expectStalled(target) : sleep(10)).then(() => {
          held = undefined
        })
        return held
      })
      assert.equal(bytes, 104_857_600)
      assert.equal(await exitCodeOf(process), 0)
    },
  },
  {
    name: 'what the sink throws, or rejects with, is what `read` rejects with',
    async check(target) {
      const full = new Error('The disk is full.')
      const throwing = () => {
        throw full
      }
      for (const sink of [throwing, async () => throwing()]) {
        const process = await exec(target, shell('echo one; sleep 1; echo two'))
        await assert.rejects(process.read(sink), full)
        process.destroy()
      }
    },
  },
  {
    name: 'many commands run beside each other, and each has its own output',
    async check(target, { commandsAtOnce = 200 }) {
      const numbers = Array.from({ length: commandsAtOnce }, (_, index) => `${index}`)
      const outputs = await Promise.all(
        numbers.map(async (number) => (await outputOf(target, 'sleep 0.2; echo "$1"', number)).trim()),
      )
      assert.deepEqual(outputs, numbers)
    },
  },
  {
    name: 'a program that is not there, or is none, is an end with 126 or 127, or words about it',
    async check(target) {
      await outputOf(target, 'echo no program > data.txt')
      for (const path of ['/no/such/program', 'no-such-program', `${target.directory}/data.txt`]) {
        const { stdout, stderr, exitCode } = await soon(run(target, [path]), `${path} does not end`)
        const says = /not found|no such file|denied|not executable/i.test(stdout + stderr)
        assert.ok(exitCode === 126 || exitCode === 127 || (exitCode !== 0 && says), `${path}: ${exitCode}`)
      }
    },
  },
  {
    name: 'a signal that is aborted before starts nothing, and its reason is what `exec` rejects with',
    async check(target) {
      const reason = new Error('not wanted')
      const signal = AbortSignal.abort(reason)
      await assert.rejects(exec(target, shell(': > started'), { signal }), reason)
      assert.equal(await outputOf(target, 'ls started 2> /dev/null'), '')
    },
  },
]

/**
 * Waits until nothing more is written, which must be before the end: what is on its way is not much. Nothing is written while
 * another process does twenty times what would be seen: on a busy machine, time alone says nothing.
 */
async function expectStalled(target: BackendUnderTest): Promise<void> {
  let before: number | undefined
  let written = 0
  while (before !== written) {
    before = written
    await outputOf(target, 'for i in $(seq 20); do head -c 1048576 /dev/zero | cat > /dev/null; done')
    written = (await outputOf(target, 'cat written 2> /dev/null')).split('\n').length - 1
  }
  assert.ok(written < 50, `${written} of a hundred megabytes are written although nothing reads them`)
}
