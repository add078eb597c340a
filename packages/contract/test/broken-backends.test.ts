// @module-tag all

import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Archives,
  archivesOf,
  type BackendProcess,
  type ExecOptions,
  type SandboxBackend,
} from '@fenced/core/sandbox'
import { rowTags } from '@fenced/testing'
import { expect, it, onTestFinished } from 'vitest'
import type { BackendSubject, BackendUnderTest } from '../src/backend-row.ts'
import type { TestFunctions } from '../src/contract.ts'
import { describeBackend } from '../src/describe-backend.ts'
import { create } from './local-backend.fixture.ts'

type Command = readonly [string, ...string[]]
type Change<Part> = (inner: Part) => Partial<Part>
type WholeBackend = SandboxBackend & Archives

/** What the backend of somebody's first afternoon does, the row that finds it, and whether that waits for ever. */
const mistakes: readonly [mistake: string, row: string, change: Change<WholeBackend>, hangs?: 'hangs'][] = [
  [
    'gives stderr behind stdout',
    'a command gives its output on both streams, in the order of its arrival',
    ofProcess((process) => ({
      async read(sink) {
        const later: Uint8Array[] = []
        await process.read((stream, chunk) => {
          if (stream === 'stdout') return sink(stream, chunk)
          later.push(Buffer.from(chunk))
        })
        for (const chunk of later) await sink('stderr', chunk)
      },
    })),
  ],
  [
    'takes a process that runs for one that has succeeded',
    'the exit code is not known while a command runs, and then stays its own',
    ofProcess((process) => ({ poll: async () => (await process.poll()) ?? 0 })),
  ],
  [
    'makes one line of the arguments',
    'a command gets its arguments as they are, whatever is in them',
    ({ exec }) => ({ exec: (command, options) => exec(['/bin/sh', '-c', command.join(' ')], options) }),
  ],
  [
    'has one directory for all',
    'a command starts in the directory that is named',
    ofExec((command, options) => [command, { ...options, cwd: '/' }]),
  ],
  [
    'gives only the variables that are added',
    'variables are added to those of the sandbox',
    ofExec((command, { env, ...options }) => [
      ['env', '-i', ...Object.entries(env).map((pair) => pair.join('=')), ...command],
      { ...options, env },
    ]),
  ],
  ['ignores the user, as the local one does', 'a command runs as the user that is named', () => ({})],
  [
    'knows a user by one name or number only',
    'a command runs as a user and a group by their numbers, `uid:gid`, as a `SupervisedSandbox` asks',
    ofExec((command, options) => [
      options.user?.includes(':') ? ['/bin/sh', '-c', 'echo no such user >&2; exit 1'] : command,
      options,
    ]),
  ],
  [
    'leaves stdin open',
    'a command has an empty stdin unless it is open',
    ({ exec }) => ({
      async exec(command, options) {
        return changed(await exec(command, { ...options, stdin: true }), { stdin: undefined })
      },
    }),
    'hangs',
  ],
  [
    'ends everything with stdin',
    'what goes in by the megabyte comes out while it does, and an end of stdin is only that',
    ofProcess((process) => {
      process.stdin?.once('finish', () => process.destroy())
      return {}
    }),
  ],
  [
    'does not let go',
    'a connection that is let go of shows as the end of stdin to the process',
    ofProcess(() => ({ destroy() {} })),
    'hangs',
  ],
  [
    'reads ahead of the sink',
    'a sink that holds back holds up the process, and nothing is lost of a hundred megabytes',
    ofProcess((process) => ({
      async read(sink) {
        let turn: Promise<void> = Promise.resolve()
        await process.read((stream, chunk) => {
          const copy = Buffer.from(chunk)
          turn = turn.then(() => sink(stream, copy))
        })
        await turn
      },
    })),
  ],
  [
    'swallows what the sink throws',
    'what the sink throws, or rejects with, is what `read` rejects with',
    ofProcess((process) => ({ read: (sink) => process.read(sink).catch(() => {}) })),
  ],
  [
    'has room for a hundred',
    'many commands run beside each other, and each has its own output',
    ({ exec }) => {
      let started = 0
      return { exec: (command, options) => exec(++started > 100 ? ['true'] : command, options) }
    },
  ],
  [
    'waits for a program that is not there',
    'a program that is not there, or is none, is an end with 126 or 127, or words about it',
    ofProcess((process) => ({ poll: async () => ((await process.poll()) === 127 ? undefined : 0) })),
    'hangs',
  ],
  [
    'rejects with an error of its own when it is aborted',
    'a signal that is aborted before starts nothing, and its reason is what `exec` rejects with',
    ({ exec }) => ({
      exec: (...given) =>
        exec(...given).catch(() => {
          throw new Error('This operation was aborted')
        }),
    }),
  ],
  [
    'gives every file the same mode',
    'an archive is unpacked below a directory: files, directories and their modes',
    ({ put, exec }) => ({
      async put(directory, archive, options) {
        await put(directory, archive, options)
        await ended(exec(['chmod', '-R', '644', directory], inPlace(options)))
      },
    }),
  ],
  [
    'empties the directory before',
    'an archive is added to what is there, and replaces files of the same name',
    ({ put, exec }) => ({
      async put(directory, archive, options) {
        await ended(exec(['find', directory, '-mindepth', '1', '-delete'], inPlace(options)))
        await put(directory, archive, options)
      },
    }),
  ],
  [
    'takes a part of an archive for the whole',
    'an archive that breaks off, one that is cut, and what is none are refused',
    ({ put }) => ({ put: (...given) => put(...given).catch(() => {}) }),
  ],
  [
    'follows links',
    'a directory comes with all that is in it, and a link as a link',
    ({ exec }) => ({
      async get(path, options) {
        const process = await exec(
          ['tar', '-hcf', '-', path.split('/').at(-1) ?? ''],
          inPlace(options, `${path}/..`),
        )
        const archive = new PassThrough()
        process
          .read((stream, chunk) => void (stream === 'stdout' && archive.write(Buffer.from(chunk))))
          .then(() => archive.end())
        return archive
      },
    }),
  ],
  [
    'gives an empty archive of what is not there',
    'what is not there is undefined',
    ({ get }) => ({ get: async (...given) => (await get(...given)) ?? new PassThrough().end() }),
  ],
  [
    'gives a name to a shell',
    'names of every kind go in and come out, of files and of directories',
    ({ get, exec }) => ({
      async get(path, options) {
        await ended(
          exec(['/bin/sh', '-c', `test -e ${path}`], inPlace(options, path.slice(0, path.indexOf('/odd')))),
        )
        return get(path, options)
      },
    }),
  ],
  [
    'waits for the end of an archive although it is aborted',
    'an aborted signal ends a call, also one that is under way, and its reason is what it rejects with',
    ({ put }) => ({
      async put(directory, archive, { signal }) {
        signal.throwIfAborted()
        await put(directory, archive, inTime())
      },
    }),
    'hangs',
  ],
  [
    'has connections that may rest, and keep Node going',
    'it says what it belongs to, and how long a connection is trusted, if it says anything',
    ofProcess(() => ({ unref: undefined }) as object),
  ],
  [
    'runs for ever',
    'a sandbox runs until it is removed, and removing it again is no fault',
    () => ({ state: async () => 'running' }),
  ],
  [
    'fails when it is removed again',
    'a sandbox runs until it is removed, and removing it again is no fault',
    ({ remove }) => {
      let count = 0
      return { remove: () => (count++ === 0 ? remove() : Promise.reject(new Error('No such sandbox.'))) }
    },
  ],
  [
    'has an error without a code for a sandbox that was removed',
    'whatever is asked of a sandbox that was removed, it is gone',
    ({ exec }) => ({
      exec: (...given) =>
        exec(...given).catch(() => {
          throw new Error('No such sandbox.')
        }),
    }),
  ],
  [
    'leaves what runs',
    'what runs in a sandbox ends with it, and its output with it',
    () => ({ async remove() {} }),
    'hangs',
  ],
]

const rows = rowTags({
  nightly: [
    'makes one line of the arguments',
    'one directory for all',
    'only the variables',
    'one name or number only',
    'leaves stdin open',
    'does not let go',
    'reads ahead',
    'swallows what',
    'room for a hundred',
    'waits for a program that is not there',
    'the same mode',
    'empties the directory',
    'a name to a shell',
    'although it is aborted',
    'when it is removed again',
    'an error without a code',
  ],
})

it.each(mistakes)(
  'one that %s is found: %s',
  { ...rows, concurrent: true },
  async (_, name, change, hangs) => {
    const places: BackendUnderTest[] = []
    const subject: BackendSubject = {
      name: 'broken',
      otherUser: { user: 'nobody', id: 65534 },
      async create() {
        const place = await create()
        places.push(place)
        const whole: WholeBackend = changed<WholeBackend>(
          place.backend as WholeBackend,
          archivesOf(place.backend),
        )
        return { ...place, backend: changed(whole, change(changed(whole, {}))) }
      },
    }
    onTestFinished(() => Promise.all(places.map(({ backend }) => backend.remove())).then(() => {}))
    const row = rowsOf(subject).get(name) ?? (async () => {})
    const skip = () => expect.unreachable('The row is skipped.')
    const checking = row({ skip }).then(
      () => 'passes',
      () => 'fails',
    )
    const outcome = await (hangs ? Promise.race([checking, delay(3_000, 'hangs')]) : checking)
    expect(outcome).toBe(hangs ?? 'fails')
  },
)

type RowBody = Parameters<TestFunctions['it']>[2]

/** The rows of the suite by their names. */
function rowsOf(subject: BackendSubject): ReadonlyMap<string, RowBody> {
  const rows = new Map<string, RowBody>()
  const functions = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, _: object, body: RowBody) => rows.set(name, body),
  }
  describeBackend(functions, subject)
  return rows
}

/** The same but for some of its members, all of which can be called without it. */
function changed<Part extends object>(part: Part, changes: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, key) {
      const value = Reflect.get(key in changes ? changes : target, key)
      return typeof value === 'function' ? value.bind(key in changes ? changes : target) : value
    },
  })
}

function ofProcess(change: Change<BackendProcess>): Change<WholeBackend> {
  return ({ exec }) => ({
    async exec(command, options) {
      const process = await exec(command, options)
      return changed(process, change(changed(process, {})))
    },
  })
}

function ofExec(
  change: (command: Command, options: ExecOptions) => [Command, ExecOptions],
): Change<WholeBackend> {
  return ({ exec }) => ({ exec: (command, options) => exec(...change(command, options)) })
}

const inTime = () => ({ signal: AbortSignal.timeout(30_000) })

function inPlace({ signal }: { signal: AbortSignal }, cwd = '/'): ExecOptions {
  return { cwd, env: {}, stdin: false, signal }
}

async function ended(starting: Promise<BackendProcess>): Promise<void> {
  await (await starting).read(() => {})
}
