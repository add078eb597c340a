import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { formatOwner, thisOwner } from '@fenced/shared'
import { describe, expect, test } from 'vitest'
import { clearSetIds } from '../../src/work-directory/clear-set-ids.ts'
import { identityOf } from '../../src/work-directory/directory-identity.ts'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { directoriesLeftMounted, writeLease } from '../../src/work-directory/lease-folder.ts'
import { openPaths, temporaryDirectory } from './temporary-directory.fixture.ts'

/** Makes files with set-ID bits in places that are hard to reach, and prints the number of those that have them. */
const program = `
import os, stat, sys
what, depth = sys.argv[1], int(sys.argv[2])
link = b'chain' * 50
def leave(name):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    os.chmod(name, 0o6755)
def visit():
    found = 0
    with os.scandir(b'.') as entries:
        entries = list(entries)
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            found += entry.stat(follow_symlinks=False).st_mode & 0o6000 != 0
        elif entry.is_dir(follow_symlinks=False) and entry.name != link:
            os.chdir(entry.name)
            found += visit()
            os.chdir(b'..')
    return found
def chain():
    while os.path.isdir(link):
        os.chdir(link)
        yield
if what == 'make':
    leave(b'plain')
    leave(b'\\xff\\xfe')
    os.makedirs(b'\\xff.d/\\xe4')
    leave(b'\\xff.d/\\xe4/\\xff')
    os.makedirs(b'node_modules/.git/.venv')
    leave(b'node_modules/.git/.venv/shell')
    os.mkfifo(b'fifo')
    os.makedirs(b'wide')
    for number in range(40): os.makedirs(b'wide/%d/%d' % (number, number))
    leave(b'wide/39/39/shell')
    for _ in range(depth):
        os.mkdir(link)
        os.chdir(link)
    leave(b'shell')
else:
    found = visit()
    for _ in chain(): found += visit()
    print(found)
`

function python(directory: string, what: 'make' | 'count', depth: number): string {
  const { stdout, stderr } = spawnSync('python3', ['-c', program, what, String(depth)], {
    cwd: directory,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return stdout.trim()
}

const owner = thisOwner()

describe.skipIf(process.platform !== 'linux')('a file that passes on the rights of its owner', () => {
  test('loses them whatever its name is and however deep it lies', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: join(parent.path, 'work'), mountedAt: '/workspace' })
    await directory.open()
    python(directory.hostPath, 'make', 110)
    expect(python(directory.hostPath, 'count', 0)).toBe('6')
    await directory.close()
    expect(python(directory.hostPath, 'count', 0)).toBe('0')
    expect(openPaths(parent.path)).toEqual([])
    // Its paths are too long for Node's own `rm`.
    execFileSync('rm', ['-rf', directory.hostPath])
  })

  test('loses them behind no link, and a hard link loses them as well', async () => {
    await using parent = await temporaryDirectory()
    const [root, outside] = [join(parent.path, 'root'), join(parent.path, 'outside')]
    for (const path of [root, outside]) mkdirSync(path)
    for (const name of ['theirs', 'linked']) {
      writeFileSync(join(outside, name), '')
      chmodSync(join(outside, name), 0o4755)
    }
    symlinkSync(outside, join(root, 'directory'))
    symlinkSync(join(outside, 'theirs'), join(root, 'file'))
    linkSync(join(outside, 'linked'), join(root, 'hard'))
    expect(await clearSetIds(root)).toBe(true)
    expect(['theirs', 'linked'].map((name) => statSync(join(outside, name)).mode & 0o7777)).toEqual([
      0o4755, 0o755,
    ])
    const link = join(parent.path, 'link')
    symlinkSync(outside, link)
    await clearSetIds(link)
    expect(statSync(join(outside, 'theirs')).mode & 0o7777).toBe(0o4755)
  })

  test.skipIf(owner.processStart === '').each([
    ['loses them', 'that a container had mounted', true, 0o755],
    ['keeps them', 'of another killed host', false, 0o4755],
  ])('%s at the next start anywhere, in a directory %s', async (_, __, isMounted, expected) => {
    await using parent = await temporaryDirectory()
    const [work, file] = [join(parent.path, 'work'), join(parent.path, 'work', 'shell')]
    mkdirSync(work)
    writeFileSync(file, '')
    chmodSync(file, 0o4755)
    const lineage = [identityOf(work)]
    const record = { path: work, lineage, allowsShared: false, isGuest: false, isMounted }
    const lease = writeLease('isolated', record)
    // The process that has this number now started at another time.
    const processStart = owner.processStart.replace(/\d+$/, '1')
    const killed = basename(lease).replace(formatOwner(owner), formatOwner({ ...owner, processStart }))
    renameSync(lease, join(dirname(lease), killed))
    const other = new HostWorkDirectory({ path: join(parent.path, 'other') })
    await other.open()
    expect(statSync(file).mode & 0o7777).toBe(expected)
    expect([...directoriesLeftMounted()].filter(({ path }) => path === work)).toEqual([])
  })
})
