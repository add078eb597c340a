import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessEnd, Sandbox, SandboxProcess, SpawnOptions } from '@fenced/core/sandbox'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import type { SandboxRow } from './sandbox-row.ts'

function shell(sandbox: Sandbox, script: string, options?: SpawnOptions): Promise<SandboxProcess> {
  return sandbox.spawn(['/bin/sh', '-c', script], options)
}

interface Ran {
  readonly end: ProcessEnd
  readonly stdout: string
  readonly stderr: string
}

async function run(sandbox: Sandbox, script: string, options?: SpawnOptions): Promise<Ran> {
  const process = await shell(sandbox, script, options)
  const [stdout, stderr, end] = await Promise.all([text(process.stdout), text(process.stderr), process.ended])
  return { end, stdout, stderr }
}

async function line(process: SandboxProcess): Promise<void> {
  await new Promise((resolve) => process.stdout.once('data', resolve))
  process.stdout.resume()
}

export const sandboxProcessRows: readonly SandboxRow[] = [
  {
    name: 'a program gives its output on both streams and its own exit code',
    async check(sandbox) {
      const { end, stdout, stderr } = await run(sandbox, 'echo out; echo err >&2; exit 3')
      assert.deepEqual({ stdout, stderr }, { stdout: 'out\n', stderr: 'err\n' })
      assert.partialDeepStrictEqual(end, { kind: 'exited', exitCode: 3, wasStopped: false })
    },
  },
  {
    name: 'a program gets its arguments as they are, whatever is in them',
    async check(sandbox) {
      const words = ['$HOME', 'a  b', '"', "'", '\\', '*', '', 'line\nline', '\u{1f600}', '-n']
      const process = await sandbox.spawn(['/bin/sh', '-c', 'printf "%s|" "$@"', 'sh', ...words])
      assert.equal(await text(process.stdout), words.map((word) => `${word}|`).join(''))
    },
  },
  {
    name: 'a program starts in the directory of the sandbox, or in the one that is named',
    async check(sandbox) {
      assert.equal((await run(sandbox, 'pwd')).stdout, `${sandbox.directory}\n`)
      assert.equal((await run(sandbox, 'pwd', { cwd: '/' })).stdout, '/\n')
    },
  },
  {
    name: 'variables are added to what every process has',
    async check(sandbox) {
      const { stdout } = await run(sandbox, 'echo "$FENCED_ROW|"; [ -n "$PATH" ] && echo path', {
        env: { FENCED_ROW: 'a b' },
      })
      assert.equal(stdout, 'a b|\npath\n')
    },
  },
  {
    name: 'a program has an empty stdin unless it is open',
    async check(sandbox) {
      assert.equal((await run(sandbox, 'cat; echo end')).stdout, 'end\n')
    },
  },
  {
    name: 'an open stdin is read to its end, of any length',
    async check(sandbox) {
      const process = await shell(sandbox, 'wc -c', { stdin: 'open' })
      const chunk = Buffer.alloc(100_000, 'x')
      for (let count = 0; count < 50; count++) process.stdin?.write(chunk)
      process.stdin?.end()
      assert.equal((await text(process.stdout)).trim(), '5000000')
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
    },
  },
  {
    name: 'an empty write to an open stdin holds up neither the next one nor its end',
    async check(sandbox) {
      for (const last of ['', 'end']) {
        const process = await shell(sandbox, 'cat', { stdin: 'open' })
        process.stdin?.write('')
        process.stdin?.write('text ')
        process.stdin?.end(last)
        assert.equal(await text(process.stdout), `text ${last}`)
        assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
      }
    },
  },
  {
    name: 'a hundred megabytes come whole through a sink that is slow at times',
    async check(sandbox) {
      let bytes = 0
      let waited = 0
      const process = await shell(sandbox, 'head -c 104857600 /dev/zero', {
        output(_, chunk) {
          bytes += chunk.length
          if (bytes < waited * 10_000_000) return
          waited++
          return sleep(20).then(() => {})
        },
      })
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
      assert.equal(bytes, 104_857_600)
    },
  },
  {
    name: 'a stream that nobody reads does not hold up the one that is read',
    async check(sandbox) {
      const process = await shell(sandbox, 'head -c 3000000 /dev/zero >&2; echo done')
      assert.equal(await text(process.stdout), 'done\n')
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
      await assert.rejects(text(process.stderr), /bytes of this stream were dropped/)
    },
  },
  {
    name: 'an error of the sink ends the program and is what `ended` rejects with',
    async check(sandbox) {
      const full = new Error('The disk is full.')
      const output = () => {
        throw full
      }
      const process = await shell(sandbox, 'while :; do echo more; done', { output })
      await assert.rejects(process.ended, full)
    },
  },
  {
    name: 'many processes run beside each other',
    async check(sandbox, { processesAtOnce = 200 }) {
      const numbers = Array.from({ length: processesAtOnce }, (_, index) => `${index}`)
      const outputs = await Promise.all(
        numbers.map(async (number) => (await run(sandbox, `sleep 0.2; echo ${number}`)).stdout.trim()),
      )
      assert.deepEqual(outputs, numbers)
    },
  },
  {
    name: 'a program that is not there, or is none, is an end that says so',
    async check(sandbox) {
      const missing = await (await sandbox.spawn(['/no/such/program'])).ended
      assert.partialDeepStrictEqual(missing, { kind: 'not-started', reason: 'not-found' })
      await sandbox.files.write('data.txt', 'no program')
      const data = await (await sandbox.spawn([`${sandbox.directory}/data.txt`])).ended
      assert.partialDeepStrictEqual(data, { kind: 'not-started', reason: 'not-executable' })
    },
  },
  {
    name: 'programs are found by their names, and those that are not there are left out',
    async check(sandbox) {
      const found = await sandbox.which(['sh', 'no-such-program'])
      assert.deepEqual([...found.keys()], ['sh'])
      const process = await sandbox.spawn([found.get('sh') ?? '', '-c', 'echo found'])
      assert.equal(await text(process.stdout), 'found\n')
    },
  },
  {
    name: 'a signal that is aborted before starts nothing',
    async check(sandbox) {
      const reason = new Error('not wanted')
      await assert.rejects(shell(sandbox, ': > started', { signal: AbortSignal.abort(reason) }), reason)
      assert.equal(await sandbox.files.stat('started'), undefined)
    },
  },
  {
    name: 'an aborted signal ends a program that ignores SIGTERM, after its grace',
    async check(sandbox) {
      const controller = new AbortController()
      const process = await shell(sandbox, "trap '' TERM; echo ready; while :; do sleep 1; done", {
        signal: controller.signal,
        killGraceMs: 100,
      })
      await line(process)
      controller.abort()
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', wasStopped: true })
    },
  },
  {
    name: 'SIGINT and SIGTERM reach the program, which may end in its own way',
    async check(sandbox) {
      for (const [name, short] of [['SIGINT', 'INT'] as const, ['SIGTERM', 'TERM'] as const]) {
        const process = await shell(
          sandbox,
          `trap 'exit 7' ${short}; echo ready; while :; do sleep 0.1; done`,
        )
        await line(process)
        await process.signal(name)
        assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 7, wasStopped: true })
      }
    },
  },
  {
    name: 'SIGCONT continues the program, and not what it started in another session',
    async check(sandbox) {
      const state = 'read -r stat < /proc/$!/stat; set -- $stat'
      const process = await shell(
        sandbox,
        `setsid sh -c 'kill -s STOP $$; sleep 100' & until ${state}; [ "$3" = T ]; do sleep 0.1; done
        kill -s STOP $$; sleep 0.5; ${state}; echo "$3"`,
        { stdin: 'open' },
      )
      // The program may not have stopped yet.
      const timer = setInterval(() => void process.signal('SIGCONT'), 200)
      assert.equal(await text(process.stdout), 'T\n')
      clearInterval(timer)
      assert.equal(await process.kill(), 'ended')
    },
  },
  {
    name: 'kill takes grandchildren along, also those that left the session',
    async check(sandbox) {
      const seconds = uniqueSeconds()
      const process = await shell(
        sandbox,
        `sleep ${seconds} & (sleep ${seconds} &) ; setsid sleep ${seconds} & echo ready; wait`,
      )
      await line(process)
      assert.equal(await process.kill(), 'ended')
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', wasStopped: true })
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'a daemon of a block that left its session ends with the block, and a process beside it lives on',
    async check(sandbox) {
      const seconds = uniqueSeconds()
      const process = await shell(sandbox, 'read -r text; echo "$text"', { stdin: 'open' })
      await run(sandbox, `setsid sleep ${seconds} & sleep 0.1`, { role: 'block' })
      assert.deepEqual(await processesLeft(`${seconds}`), [])
      process.stdin?.end('lives\n')
      assert.equal(await text(process.stdout), 'lives\n')
      assert.partialDeepStrictEqual(await process.ended, { exitCode: 0, wasStopped: false })
    },
  },
  {
    name: 'a daemon of a block that also cleared its environment ends with the block',
    async check(sandbox) {
      const seconds = uniqueSeconds()
      await run(sandbox, `setsid env -i sleep ${seconds} > /dev/null 2>&1 & sleep 0.1`, { role: 'block' })
      assert.deepEqual(await processesLeft(`${seconds}`), [])
    },
  },
  {
    name: 'stop ends every process, and what is spawned then is refused',
    own: true,
    async check(sandbox) {
      await sandbox.start()
      const seconds = uniqueSeconds()
      const process = await shell(sandbox, `echo ready; sleep ${seconds}`)
      await line(process)
      await sandbox.stop()
      const { kind } = await process.ended
      assert.ok(kind === 'exited' || kind === 'lost', kind)
      assert.deepEqual(await processesLeft(`${seconds}`), [])
      await assert.rejects(shell(sandbox, 'echo'), { code: 'SANDBOX_GONE' })
      await sandbox.stop()
    },
  },
  {
    name: 'a start makes a new incarnation, with an id of its own',
    own: true,
    async check(sandbox) {
      assert.equal(sandbox.id, undefined)
      await Promise.all([sandbox.start(), sandbox.start()])
      const first = sandbox.id
      assert.notEqual(first, undefined)
      await sandbox.stop()
      await sandbox.start()
      assert.notEqual(sandbox.id, first)
      assert.equal((await run(sandbox, 'echo again')).stdout, 'again\n')
    },
  },
  {
    name: 'a start that is cancelled leaves a sandbox that can be started',
    own: true,
    async check(sandbox) {
      const reason = new Error('not wanted')
      await assert.rejects(sandbox.start({ signal: AbortSignal.abort(reason) }), reason)
      await sandbox.start()
      assert.equal((await run(sandbox, 'echo started')).stdout, 'started\n')
    },
  },
  {
    name: 'detached is refused where nothing can be resumed',
    own: true,
    unless: ({ resumable }) => (resumable ? 'it can be resumed' : undefined),
    async check(sandbox) {
      const start = sandbox.start({ detached: { expiresInMs: 60_000 } })
      await assert.rejects(start, { code: 'NOT_RESUMABLE' })
    },
  },
  {
    name: 'without ports, each is closed',
    unless: ({ ports }) => (ports ? 'its ports can be reached' : undefined),
    check: (sandbox) => assert.rejects(sandbox.connect(1), { code: 'SANDBOX_PORT_CLOSED' }),
  },
  {
    name: 'a port on which a process listens is reached, each direction ends by itself, and a closed one is an error',
    unless: ({ ports }) => (ports ? undefined : 'its ports cannot be reached'),
    needs: 'python3',
    async check(sandbox, _, python) {
      const echo = `
import socket
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
connection, _ = server.accept()
while data := connection.recv(65536): connection.sendall(data.upper())
connection.close()
connection, _ = server.accept()
connection.sendall(b'ended')
connection.shutdown(socket.SHUT_WR)
length = 0
while data := connection.recv(65536): length += len(data)
print(length)
`
      const process = await sandbox.spawn([python, '-c', echo])
      const [first] = await new Promise<[Buffer]>((resolve) =>
        process.stdout.once('data', (data) => resolve([data])),
      )
      const port = Number(first.toString())
      const connection = await sandbox.connect(port)
      connection.end('hello')
      assert.equal(await text(connection), 'HELLO')
      const other = await sandbox.connect(port)
      assert.equal(await text(other), 'ended')
      other.end('x'.repeat(300_000))
      assert.equal(await text(process.stdout), '300000\n')
      assert.partialDeepStrictEqual(await process.ended, { kind: 'exited', exitCode: 0 })
      await assert.rejects(sandbox.connect(port), { code: 'SANDBOX_PORT_CLOSED' })
    },
  },
]
