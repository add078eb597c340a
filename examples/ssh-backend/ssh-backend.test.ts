import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBackend } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { create } from './backend-under-test.ts'
import { SshBackend } from './ssh-backend.ts'
import { type SshServer, sshServerProblem, startSshServer } from './ssh-server.ts'

const rows = rowTags({ nightly: [': processes', ': archives'] })

describe.skipIf(sshServerProblem() !== undefined)('a machine that ssh reaches', rows, () => {
  let server: SshServer

  beforeAll(async () => {
    server = await startSshServer()
    process.env.SSH_BACKEND_TEST = JSON.stringify(server.options)
  })
  afterAll(() => {
    delete process.env.SSH_BACKEND_TEST
    server?.[Symbol.dispose]()
  })

  describeBackend(
    { describe, it },
    // Each command is a connection to the machine.
    { name: 'ssh', create, module: import.meta.resolve('./backend-under-test.ts'), commandsAtOnce: 50 },
  )

  it('takes no directory that is there already, and leaves it as it is', async () => {
    // So the program there has often ended before anything of it is read.
    const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100), 1)
    onTestFinished(() => clearInterval(busy))
    const folder = mkdtempSync(join(tmpdir(), 'fenced-there-'))
    try {
      mkdirSync(join(folder, 'kept'))
      for (const directory of [folder, join(folder, 'kept'), '/tmp', '/']) {
        await expect(SshBackend.start({ ...server.options, directory })).rejects.toMatchObject({
          code: 'SSH_FAILED',
          data: { reason: expect.stringContaining('File exists') },
        })
      }
      expect(existsSync(join(folder, 'kept'))).toBe(true)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('follows no link that a program puts in the place of its directory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fenced-kept-'))
    try {
      mkdirSync(join(folder, 'kept'), { mode: 0o500 })
      const backend = await SshBackend.start(server.options)
      const options = { cwd: '/', env: {}, stdin: false, signal: AbortSignal.timeout(60_000) }
      const script = 'rmdir "$1" && ln -s "$2" "$1"'
      const command = ['/bin/sh', '-c', script, 'sh', backend.directory, folder] as const
      await (await backend.exec(command, options)).read(() => {})
      await backend.remove()
      expect(statSync(join(folder, 'kept')).mode & 0o777).toBe(0o500)
      expect(existsSync(backend.directory)).toBe(false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('ends with its connection, and so does what runs in it', async () => {
    const backend = await SshBackend.start(server.options)
    const options = { cwd: '/', env: {}, stdin: false, signal: AbortSignal.timeout(60_000) }
    const program = await backend.exec(['/bin/sh', '-c', 'echo $$; exec sleep 7701'], options)
    const { promise: itsId, resolve: tell } = Promise.withResolvers<number>()
    const reading = program.read((_, chunk) => tell(Number(Buffer.from(chunk))))
    const id = await itsId
    server.cut()
    await reading
    expect(await program.poll()).toBe(undefined)
    expect(await backend.state()).toBe('ended')
    await expect(backend.exec(['true'], options)).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
    // The server of this test is on the same machine.
    await expect.poll(() => existsSync(`/proc/${id}`)).toBe(false)
    await expect.poll(() => existsSync(backend.directory)).toBe(false)
    await backend.remove()
  })

  it('tells an exit with 255 from a fault of ssh', async () => {
    const backend = await SshBackend.start(server.options)
    const options = { cwd: backend.directory, env: {}, stdin: false, signal: AbortSignal.timeout(60_000) }
    const process = await backend.exec(['/bin/sh', '-c', 'exit 255'], options)
    await process.read(() => {})
    await expect.poll(() => process.poll()).toBe(255)
    await backend.remove()
    expect(existsSync(backend.directory)).toBe(false)
  })

  it('starts commands as the user of the login only', async () => {
    const backend = await SshBackend.start(server.options)
    const options = { cwd: backend.directory, env: {}, stdin: false, signal: AbortSignal.timeout(60_000) }
    const own = await backend.exec(['id', '-u'], { ...options, user: `${process.getuid?.()}` })
    let output = ''
    await own.read((_, chunk) => {
      output += Buffer.from(chunk)
    })
    expect(output).toBe(`${process.getuid?.()}\n`)
    const other = backend.exec(['id', '-u'], { ...options, user: '54321' })
    await expect(other).rejects.toMatchObject({ code: 'SSH_ONE_USER' })
    await backend.remove()
  })

  it('says why there is no connection', async () => {
    const options = {
      ...server.options,
      sshOptions: ['-o', 'UserKnownHostsFile=/dev/null', ...(server.options.sshOptions ?? [])],
    }
    await expect(SshBackend.start(options)).rejects.toMatchObject({
      code: 'SSH_FAILED',
      data: { reason: expect.stringContaining('Host key verification failed') },
    })
    const reason = new Error('not wanted')
    await expect(SshBackend.start({ ...server.options, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })
})
