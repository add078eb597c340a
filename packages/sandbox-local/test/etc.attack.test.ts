import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

let folder = ''
/** A service's directory, of which bubblewrap's `/etc` has none. */
const service = `/etc/fenced-test-${randomUUID()}`
const isRoot = process.getuid?.() === 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fenced-readable-'))
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data/table'), 'rows')
  if (!isRoot) return
  await mkdir(service)
  await writeFile(join(service, 'name'), 'service\n')
  await writeFile(join(service, 'key.json'), 'private key', { mode: 0o600 })
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await rm(service, { recursive: true, force: true })
})

async function run(script: string, options: LocalSandboxOptions = {}): Promise<string> {
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', ...options })
  await sandbox.start()
  const process = await sandbox.spawn(['sh', '-c', `exec 2>&1\n${script}`])
  return await text(process.stdout)
}

describe.skipIf(bubblewrap.missing)('code in bubblewrap', () => {
  it.skipIf(!isRoot)('sees no key of a service in /etc, also where Fenced runs as root', async () => {
    expect(await run(`cat ${service}/key.json; ls -a /etc | grep fenced-test`)).toMatch(
      /^cat: .*No such file or directory\n$/,
    )
  })

  it('finds no file for root only in /etc', async () => {
    expect(await run('find /etc/ -type f ! -perm -o+r')).toBe('')
  })

  it('reads what `readable` lists, and cannot change it', async () => {
    const data = join(folder, 'data')
    await symlink(data, join(folder, 'link'))
    const script = `cat ${data}/table; cat ${folder}/link/table; touch ${data}/new; ls ${folder}`
    expect(await run(script, { readable: [data, `${folder}/link/`] })).toMatch(
      /^rowsrowstouch: .*Read-only file system\ndata\nlink\n$/,
    )
  })

  it.skipIf(!isRoot)(
    'reads no passwords, and no keys of the system, where `readable` lists all of /etc',
    async () => {
      const script = `cat ${service}/name; cat /etc/shadow /etc/gshadow; ls -A /etc/ssl/private /etc/ssh`
      const output = await run(script, { readable: ['/etc'] })
      expect(
        output.replaceAll(/^(cat: .*(Permission denied|No such file.*)|ls: .*|\/etc\/ss.*:|)\n/gm, ''),
      ).toBe('service\n')
      expect(() => new LocalSandbox({ isolation: 'bubblewrap', readable: ['/etc/ssl/private/key'] })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'readable.0' } }),
      )
    },
  )

  it('reads the link of a program in a later sandbox nowhere else', async () => {
    const directory = join(folder, 'work')
    await run('ln -s / link; mkdir data', { workDir: directory })
    for (const name of ['link', 'data', 'link/root']) {
      const path = join(directory, name)
      await expect(run('true', { workDir: directory, readable: [path] })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        data: { option: 'readable', path },
      })
    }
  })
})

describe('`readable` refuses', () => {
  it.each([
    'data',
    '/',
    '/usr/..',
    '/proc/1/root',
    '/opt/../proc',
    '/dev/sda',
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/sys',
    '/tmp/',
    '/etc/shadow',
    '/etc/ssh/ssh_host_rsa_key',
  ])('%s', (path) => {
    expect(() => new LocalSandbox({ isolation: 'bubblewrap', readable: [path] })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'readable.0' } }),
    )
  })

  it('a list without isolation', () => {
    expect(() => new LocalSandbox({ readable: ['/opt'] })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'readable' } }),
    )
  })

  it.skipIf(bubblewrap.missing)(
    'links to what it refuses, sockets, and paths that do not exist',
    async () => {
      await symlink('/proc', join(folder, 'processes'))
      const server = createServer().listen(join(folder, 'socket'))
      await new Promise((resolve) => server.once('listening', resolve))
      try {
        for (const name of ['processes', 'socket', 'missing']) {
          const path = join(folder, name)
          await expect(run('true', { readable: [path] })).rejects.toMatchObject({
            code: 'INVALID_OPTIONS',
            data: { option: 'readable', path },
          })
        }
      } finally {
        server.close()
      }
    },
  )
})
