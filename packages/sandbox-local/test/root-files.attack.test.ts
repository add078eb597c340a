import { randomUUID } from 'node:crypto'
import { chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Notice } from '@fenced/core'
import { programOnPath } from '@fenced/host'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { bubblewrap, unprivilegedUser } from './requirements.ts'

const name = `fenced-test-${randomUUID()}`
const places = [`/etc/${name}`, `/usr/local/${name}`, `/opt/${name}`]
/** Root's own directory, with a file that only root may read. */
let workDir = ''

beforeAll(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'fenced-root-'))
  await writeFile(join(workDir, 'given'), 'given', { mode: 0o600 })
  if (unprivilegedUser.missing) return
  for (const place of places) {
    await mkdir(place)
    await writeFile(join(place, 'public'), 'public')
    await writeFile(join(place, 'key'), 'private key', { mode: 0o600 })
  }
})
afterAll(async () => {
  for (const path of [...places, workDir]) await rm(path, { recursive: true, force: true })
})

async function run(script: string, options: LocalSandboxOptions = {}) {
  const notices: Notice[] = []
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', workDir, ...options })
  await sandbox.start({ onNotice: (notice) => notices.push(notice) })
  const process = await sandbox.spawn(['sh', '-c', `exec 2>&1\n${script}`])
  return { output: await text(process.stdout), codes: notices.map(({ code }) => code) }
}

describe.skipIf(unprivilegedUser.missing)('where Fenced runs as root, code in bubblewrap', () => {
  it.each(places)('cannot read a file for root only in %s', async (place) => {
    const script = `
cat ${place}/public; echo
exec 2> /dev/null
cat ${place}/key; cat /proc/1/root${place}/key; cat < ${place}/key
ln ${place}/key hard && cat hard; ln -sf ${place}/key soft && cat soft
chmod 644 ${place}/key && cat ${place}/key; chown 65534 ${place}/key && cat ${place}/key
head -c 1 /proc/1/environ /proc/1/mem; rm -f soft`
    expect(await run(script, { readable: places })).toMatchObject({ output: 'public\n' })
  })

  it('is another user in the kernel, without a capability, and cannot become root', async () => {
    const { output } = await run(`
grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs)' /proc/self/status | tr -s '\\t ' ' '; cat /proc/self/uid_map | tr -s ' '
setpriv --reuid=0 id; unshare --user --map-root-user id; kill -0 1`)
    const none = '0000000000000000'
    const capabilities = ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((kind) => `Cap${kind}: ${none}`)
    const [seen, attempts] = [output.split('\n').slice(0, 10), output.split('\n').slice(10).join('\n')]
    expect(seen).toEqual([
      'Uid: 65534 65534 65534 65534',
      'Gid: 65534 65534 65534 65534',
      'Groups: ',
      ...capabilities,
      'NoNewPrivs: 1',
      // The number is that of the machine, not one of a user namespace.
      ' 0 0 4294967295',
    ])
    expect(attempts.trim().split('\n')).toEqual(Array(3).fill(expect.stringContaining('not permitted')))
  })

  it('reads and writes root’s files in its working directory, which belong to root afterward', async () => {
    const script = `
cat given; echo changed > given; mkdir -p made/below; echo new > made/below/file; chmod 700 made
[ -O given ] && [ -O . ] && echo mine; touch ~/a /tmp/a /dev/shm/a /run/a`
    expect(await run(script)).toEqual({ output: 'givenmine\n', codes: [] })
    expect(await readFile(join(workDir, 'given'), 'utf8')).toBe('changed\n')
    expect(await readFile(join(workDir, 'made/below/file'), 'utf8')).toBe('new\n')
    for (const path of ['given', 'made', 'made/below/file']) {
      expect(await stat(join(workDir, path))).toMatchObject({ uid: 0, gid: 0 })
    }
    expect((await stat(join(workDir, 'made'))).mode & 0o777).toBe(0o700)
  })

  it('gets the variables and signals that a program of another user gets', async () => {
    const options = { env: { LANG: 'C', LC_ALL: '', WORD: 'a=b' } }
    expect((await run('env | grep -E "^(LC_CTYPE|WORD)="; yes | head -1', options)).output).toBe(
      'WORD=a=b\ny\n',
    )
  })

  it('owns a working directory of another user, whose files remain that user’s', async () => {
    const directory = join(workDir, 'of-user')
    await mkdir(directory)
    await writeFile(join(directory, 'given'), 'given', { mode: 0o600 })
    await writeFile(join(directory, 'key'), 'private key', { mode: 0o600 })
    for (const path of [directory, join(directory, 'given')]) await chown(path, 12_345, 12_346)
    const { output } = await run('cat given; echo new > made; cat key 2> /dev/null', { workDir: directory })
    expect(output).toBe('given')
    expect(await stat(join(directory, 'made'))).toMatchObject({ uid: 12_345, gid: 12_346 })
  })
})

describe.skipIf(bubblewrap.missing || process.getuid?.() !== 0)('where no other user can be given', () => {
  it('a notice of the start says so, with the reason', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'fenced-bin-'))
    await symlink(programOnPath('bwrap', process.env.PATH ?? '') ?? '', join(bin, 'bwrap'))
    vi.stubEnv('PATH', bin)
    try {
      const notices: Notice[] = []
      await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: false, pids: false })
      await sandbox.start({ onNotice: (notice) => notices.push(notice) })
      expect(notices).toEqual([
        {
          code: 'weaker-isolation',
          message: expect.any(String),
          data: { reason: expect.stringContaining('setpriv') },
        },
      ])
      const process = await sandbox.spawn(['/usr/bin/id', '-u'])
      expect(await text(process.stdout)).toBe('0\n')
    } finally {
      vi.unstubAllEnvs()
      await rm(bin, { recursive: true })
    }
  })
})
