import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, Ask } from '../../../src/approval/ask.ts'
import type { AskOptions } from '../../../src/approval/ask-options.ts'
import type { FileRequest, ProcessRequest } from '../../../src/approval/ask-requests.ts'
import { DecisionLedger } from '../../../src/approval/decision-ledger.ts'
import { approvalDigest } from '../../../src/approval/digest.ts'
import { MemoryLedgerStore } from '../../../src/approval/ledger-store.ts'
import { askingExecutor } from '../../../src/asking-executor.ts'
import type { CodeExecutor } from '../../../src/code-executor.ts'
import { DriverExecutor } from '../../../src/engine/driver-executor.ts'
import { engineOptions } from '../../../src/engine/fake-driver.fixture.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'

/** An executor whose sandbox notes what is done in it, with this `ask`. */
function makeExecutor(options: AskOptions = {}) {
  const done: unknown[] = []
  const files = {
    read: async () => undefined,
    stat: async () => undefined,
    list: async () => new Map(),
    write: async (
      path: string,
      given: Uint8Array | string | AsyncIterable<Uint8Array>,
      { mode }: object & { mode?: number },
    ) => {
      const hash = createHash('sha256')
      let size = 0
      for await (const chunk of typeof given === 'string' || given instanceof Uint8Array ? [given] : given) {
        hash.update(chunk)
        size += chunk.length
      }
      done.push(['write', path, size, hash.digest('hex'), mode])
    },
    makeDirectory: async (path: string) => void done.push(['makeDirectory', path]),
    remove: async (path: string) => void done.push(['remove', path]),
    move: async (from: string, to: string, { overwrite }: { overwrite?: boolean }) =>
      void done.push(['move', from, to, overwrite]),
    copy: async (from: string, to: string, { overwrite }: { overwrite?: boolean }) =>
      void done.push(['copy', from, to, overwrite]),
  }
  const sandbox = {
    name: 'fake',
    capabilities: { isolation: 'none', network: 'custom', files: 'directory', ports: true, limits: {} },
    directory: '/work',
    shared: { write: async () => {} },
    id: 'one',
    network: { watch: (observer: object) => ({ observer, [Symbol.dispose]: () => {} }) },
    which: async () => new Map([['sh', '/bin/sh']]),
    spawn: async (command: readonly string[], { env, cwd }: { env?: object; cwd?: string }) => {
      done.push(['spawn', command, env, cwd])
      return { ended: Promise.resolve() }
    },
    files,
    connect: async () => 'connected',
  } as unknown as Sandbox
  const executor = new DriverExecutor({
    name: 'fake',
    driver: { sandbox, run: async () => ({ exitCode: 0 }) },
    capabilities: {
      ...{ languages: ['sh'], isolation: 'none', stateful: [], richOutput: false, network: 'open' },
      limits: { memory: false, processes: false },
    },
    options: engineOptions(options as never),
  })
  return { executor, done, sandbox: sandboxOf(executor) }
}

function sandboxOf({ sandbox }: CodeExecutor) {
  if (sandbox === undefined) throw new Error('no sandbox')
  return sandbox
}

/** The same, and the requests, all of which get an answer. */
function asked(answer: 'allow' | 'deny' = 'allow', options: Omit<AskOptions, 'ask'> = {}) {
  const requests: (FileRequest | ProcessRequest)[] = []
  const ask = (request: ApprovalRequest) => {
    requests.push(request as FileRequest)
    return answer
  }
  return { requests, ...makeExecutor({ ...options, ask }) }
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
const denied = (kind: string) => ({ code: 'APPROVAL_DENIED', data: { kind, reason: expect.any(String) } })

/** Calls that change something, by the kind that they ask about. */
const changes = {
  process: [(sandbox: ReturnType<typeof sandboxOf>) => sandbox.spawn(['true'])],
  file: [
    ({ files }: ReturnType<typeof sandboxOf>) => files.write('a', 'text'),
    ({ files }: ReturnType<typeof sandboxOf>) => files.makeDirectory('a'),
    ({ files }: ReturnType<typeof sandboxOf>) => files.remove('a'),
    ({ files }: ReturnType<typeof sandboxOf>) => files.move('a', 'b'),
    ({ files }: ReturnType<typeof sandboxOf>) => files.copy('a', 'b'),
  ],
} as const

describe('the sandbox of an executor that asks', () => {
  it('asks before each process, with everything that would happen', async () => {
    const { requests, sandbox, done, executor } = asked()
    const options = { cwd: '/srv', env: { TOKEN: 'secret', PORT: '1' } }
    await sandbox.spawn(['node', 'server.js', 'a b'], options)
    expect(requests).toEqual([
      {
        kind: 'process',
        id: expect.any(String),
        digest: expect.any(String),
        question: 'May the process node server.js "a b" start on this machine, not isolated (fake)?',
        command: ['node', 'server.js', 'a b'],
        workDir: '/srv',
        env: ['PORT', 'TOKEN'],
        target: expect.objectContaining({ executor: executor.name, isolation: 'none' }),
      },
    ])
    const [request] = requests
    expect(request?.digest).toBe(request && approvalDigest(request))
    expect(done).toEqual([['spawn', ['node', 'server.js', 'a b'], options.env, '/srv']])
  })

  it('asks before each change to a file, and about nothing that only reads', async () => {
    const { requests, sandbox, done } = asked()
    const { files } = sandbox
    await Promise.all([files.read('a'), files.stat('a'), files.list('a'), sandbox.which(['sh'])])
    expect(requests).toEqual([])
    await files.write('notes.txt', 'text', { mode: 0o755 })
    await files.makeDirectory('dir')
    await files.remove('old')
    await files.move('a', 'b')
    await files.copy('a', 'b', { overwrite: false })
    const file = { path: 'notes.txt', sizeBytes: 4, sha256: sha256('text'), text: 'text' }
    expect(requests).toMatchObject([
      { action: 'write', path: 'notes.txt', file, mode: 0o755 },
      { action: 'make-directory', path: 'dir' },
      { action: 'remove', path: 'old' },
      { action: 'move', path: 'a', newPath: 'b', overwrite: true },
      { action: 'copy', path: 'a', newPath: 'b', overwrite: false },
    ])
    expect(requests.map(({ question }) => question)).toEqual([
      'May the file notes.txt (4 bytes) be written with the permissions 755 on this machine, not isolated (fake)?',
      'May the directory dir be made on this machine, not isolated (fake)?',
      'May old be removed, with everything in it, on this machine, not isolated (fake)?',
      'May a be moved to b, replacing any file there, on this machine, not isolated (fake)?',
      'May a be copied to b on this machine, not isolated (fake)?',
    ])
    expect(done).toEqual([
      ['write', 'notes.txt', 4, sha256('text'), 0o755],
      ['makeDirectory', 'dir'],
      ['remove', 'old'],
      ['move', 'a', 'b', true],
      ['copy', 'a', 'b', false],
    ])
  })

  it.each<[string, Ask, { process: string; file: string }]>([
    ['only about code', { code: () => 'allow' }, { process: 'denied', file: 'denied' }],
    [
      'about code and processes',
      { code: () => 'deny', process: () => 'allow' },
      { process: 'done', file: 'denied' },
    ],
    ['only about files', { file: () => 'deny' }, { process: 'done', file: 'denied' }],
    ['about all, without an answer', () => undefined, { process: 'denied', file: 'denied' }],
    ['about neither', { network: () => 'allow' }, { process: 'done', file: 'done' }],
    ['with a rejection', () => Promise.reject(new Error('gone')), { process: 'denied', file: 'denied' }],
    ['with a wrong answer', { process: () => 'maybe' as never }, { process: 'denied', file: 'done' }],
  ])('allows nothing that nobody decided about, where `ask` decides %s', async (_, ask, expected) => {
    for (const kind of ['process', 'file'] as const) {
      for (const change of changes[kind]) {
        const { sandbox, done } = makeExecutor({ ask })
        const isDone = expected[kind] === 'done'
        if (isDone) await change(sandbox)
        else await expect(change(sandbox)).rejects.toMatchObject(denied(kind))
        expect(done).toHaveLength(isDone ? 1 : 0)
      }
    }
  })

  it('names the function that is missing', async () => {
    const { sandbox } = makeExecutor({ ask: { code: () => 'allow' } })
    await expect(sandbox.spawn(['true'])).rejects.toThrow('Add a function for the kind `process`.')
  })

  it('has no way around its questions', async () => {
    const { sandbox, done } = asked('deny')
    expect(sandbox.capabilities.asks).toBe(true)
    expect(sandbox.shared).toBeUndefined()
    const watch = sandbox.network?.watch({ ask: () => 'allow' })
    expect(Object.keys(Reflect.get(Object(watch), 'observer'))).toEqual(['onConnection'])
    const invalid = { code: 'INVALID_OPTIONS' }
    await expect(sandbox.spawn(['sh'], { stdin: 'open' })).rejects.toMatchObject(invalid)
    const terminal = { columns: 80, rows: 24 }
    await expect(sandbox.spawn(['sh'], { terminal })).rejects.toMatchObject({
      ...invalid,
      data: { option: 'terminal' },
    })
    await expect(sandbox.spawn(['sh'], { writable: ['/'] } as never)).rejects.toMatchObject(invalid)
    expect(done).toEqual([])
  })

  it('does what was shown, also when the caller or the approver changes it meanwhile', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<'allow'>()
    const { sandbox, done } = makeExecutor({
      ask: (request) => {
        Object.assign(request, { command: ['other'], path: 'other', digest: '' })
        return answer
      },
    })
    const command: [string, ...string[]] = ['true', 'one']
    const env = { NAME: 'one' }
    const content = Buffer.from('one')
    const running = [sandbox.spawn(command, { env }), sandbox.files.write('a', content)]
    command[1] = 'two'
    env.NAME = 'two'
    content.write('two')
    resolve('allow')
    await Promise.all(running)
    expect(done).toEqual([
      ['spawn', ['true', 'one'], { NAME: 'one' }, undefined],
      ['write', 'a', 3, sha256('one'), undefined],
    ])
  })

  it('shows hidden characters, and different commands never the same', async () => {
    const { requests, sandbox } = asked()
    const words = ['a\u202Eb', 'a\u0007', 'a\nb', 'a b', '"a"', '']
    for (const word of words) await sandbox.spawn(['echo', word])
    await sandbox.spawn(['echo', 'a', 'b'])
    await sandbox.files.remove('a\u202Eb\n')
    const shown = requests.map(({ question }) => question)
    expect(new Set(shown).size).toBe(words.length + 2)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the subject of the test.
    for (const question of shown) expect(question).not.toMatch(/[\u202E\x00-\x1F]/)
  })

  it('shows the size and the hash of bytes and of a large file, which is written unchanged', async () => {
    const { requests, sandbox, done } = asked()
    const chunk = Buffer.alloc(256 * 1024, 'x')
    const large = Array.from({ length: 5 }, () => chunk)
    const contents = [Uint8Array.of(0xff, 0xfe), Buffer.concat(large)]
    for (const content of contents) await sandbox.files.write('a', content)
    await sandbox.files.write(
      'a',
      (async function* () {
        yield* large
      })(),
    )
    const expected = [...contents, Buffer.concat(large)].map((content) => [content.length, sha256(content)])
    expect(requests.map((request) => 'file' in request && request.file)).toEqual(
      expected.map(([sizeBytes, hash]) => ({ path: 'a', sizeBytes, sha256: hash })),
    )
    expect(done).toEqual(expected.map(([size, hash]) => ['write', 'a', size, hash, undefined]))
  })

  it('answers questions at the same time, each for itself', async () => {
    const { sandbox, done } = makeExecutor({
      ask: (request) => (request.kind === 'process' && request.command[1] === 'yes' ? 'allow' : 'deny'),
    })
    const settled = await Promise.allSettled(
      ['yes', 'no', 'yes'].map((word) => sandbox.spawn(['echo', word])),
    )
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(done).toHaveLength(2)
  })

  it.each(['signal', 'stop', 'restart'] as const)('withdraws an open question on %s', async (way) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const ledger = new DecisionLedger()
    const ask: Ask = (_, { signal }) => {
      begun.resolve(signal)
      return new Promise(() => {})
    }
    const { executor, sandbox, done } = makeExecutor({ ask, ledger })
    const abort = new AbortController()
    const spawned = sandbox.spawn(['true'], { signal: abort.signal })
    const rejected = expect(spawned).rejects.toMatchObject(
      way === 'signal' ? { message: 'mine' } : { code: 'EXECUTOR_STOPPED' },
    )
    const signal = await begun.promise
    if (way === 'signal') abort.abort(new Error('mine'))
    else await executor[way]()
    await rejected
    expect(signal.aborted).toBe(true)
    expect(await ledger.list()).toMatchObject([{ kind: 'process', state: 'withdrawn' }])
    expect(done).toEqual([])
  })

  it('denies after `askTimeoutMs`', async () => {
    const ledger = new DecisionLedger()
    const { sandbox, done } = makeExecutor({ ask: () => new Promise(() => {}), askTimeoutMs: 1, ledger })
    await expect(sandbox.files.remove('a')).rejects.toMatchObject(denied('file'))
    expect(await ledger.list()).toMatchObject([{ kind: 'file', state: 'expired' }])
    expect(done).toEqual([])
  })

  it('records each decision, and does nothing where that fails', async () => {
    const ledger = new DecisionLedger()
    const { sandbox, executor } = asked('allow', { ledger })
    await sandbox.spawn(['true'])
    await sandbox.files.makeDirectory('a')
    const target = { executor: executor.name }
    expect(await ledger.list()).toMatchObject([
      { kind: 'process', state: 'finished', decidedBy: 'rule', target },
      { kind: 'file', state: 'finished', decidedBy: 'rule', target },
    ])
    for (const failing of ['asked', 'decided', 'started']) {
      const store = new MemoryLedgerStore()
      const create = store.create.bind(store)
      store.create = (key, entry) =>
        key.step === failing ? Promise.reject(new Error('full')) : create(key, entry)
      const test = asked('allow', { ledger: new DecisionLedger({ store }) })
      for (const change of [...changes.process, ...changes.file])
        await expect(change(test.sandbox)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' })
      expect(test.done).toEqual([])
    }
  })

  it('is there behind `askingExecutor`, which asks besides', async () => {
    const outer: string[] = []
    const { executor, done, requests } = asked()
    const careful = askingExecutor(executor, (request) => {
      outer.push(request.kind)
      return 'allow'
    })
    await sandboxOf(careful).spawn(['true'])
    expect([outer, requests.length, done.length]).toEqual([['process'], 1, 1])
    const plain = askingExecutor(makeExecutor().executor, { code: () => 'allow' })
    await expect(sandboxOf(plain).spawn(['true'])).rejects.toMatchObject(denied('process'))
  })
})
