import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HostWorkDirectory } from '../../src/work-directory/host-work-directory.ts'
import { listFiles } from '../../src/work-directory/list-files.ts'
import { removeTree, removeTreeNow } from '../../src/work-directory/remove-tree.ts'
import { temporaryDirectory } from './temporary-directory.fixture.ts'

const isLinux = process.platform === 'linux'

/**
 * Exchanges a directory and a link to the outside, both at once (renameat2): first when something in the directory is
 * gone, or half a second has passed, and then as often as it can until it is killed.
 */
const exchanging = `
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
one, other = (path.encode() for path in sys.argv[1:])
end = time.monotonic() + 0.5
print("ready", flush=True)
while time.monotonic() < end and all(os.access(one + b"/f%d" % n, os.F_OK) for n in (0, 10, 500)): pass
while True:
    libc.renameat2(-100, one, -100, other, 2)
`

/** The directory `inside`, in which `d` is by turns a full directory and a link to `outside`, while `attempt` is made. */
async function raced(attempt: (inside: string) => Promise<void>, rounds: number): Promise<string[]> {
  await using directory = await temporaryDirectory()
  const outside = join(directory.path, 'outside')
  mkdirSync(join(outside, 'home', 'ann'), { recursive: true })
  for (const name of ['home/ann/letter', 'key', ...fillers]) writeFileSync(join(outside, name), '')
  for (let round = 0; round < rounds; round++) {
    const inside = join(directory.path, `inside-${round}`)
    const [real, link] = [join(inside, 'a', 'd'), join(inside, 'a', 'l')]
    mkdirSync(join(real, 'home', 'ann'), { recursive: true })
    for (const name of fillers) writeFileSync(join(real, name), '')
    symlinkSync(outside, link)
    const swapper = spawn('python3', ['-c', exchanging, real, link], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(swapper, 'exit')
    try {
      await once(swapper.stdout, 'data')
      await attempt(inside)
    } finally {
      swapper.kill('SIGKILL')
      await exited
    }
  }
  return readdirSync(outside, { recursive: true }).map(String).toSorted()
}

const fillers = Array.from({ length: 1_000 }, (_, count) => `f${count}`)
const untouched = [...fillers, 'home', 'home/ann', 'home/ann/letter', 'key'].toSorted()

describe.skipIf(!isLinux)('a program that exchanges a directory and a link', () => {
  test('while it is removed loses nobody anything outside', { timeout: 120_000 }, async () => {
    expect(await raced((inside) => removeTree(inside), 2)).toEqual(untouched)
  })

  test('while it is removed at once loses nobody anything outside', { timeout: 120_000 }, async () => {
    expect(await raced(async (inside) => removeTreeNow(inside, { limitMs: 10_000 }), 2)).toEqual(untouched)
  })

  test('while it is listed shows nothing of outside', { timeout: 120_000 }, async () => {
    const seen = new Set<string>()
    const outside = await raced(async (inside) => {
      const endsAt = performance.now() + 1_000
      while (performance.now() < endsAt) {
        for (const name of (await listFiles(inside))?.keys() ?? []) seen.add(name)
      }
    }, 2)
    expect([...seen].filter((name) => name.endsWith('key') || name.endsWith('letter'))).toEqual([])
    expect(seen.size).toBeGreaterThan(100)
    expect(outside).toEqual(untouched)
  })
})

describe('removing', () => {
  test.skipIf(!isLinux)('takes a tree that is deeper than a path can be long', async () => {
    await using directory = await temporaryDirectory()
    const deep = 'd'.repeat(200)
    const make = `i=0; while [ $i -lt 100 ]; do mkdir ${deep} && cd -P ${deep} && : > f; i=$((i + 1)); done`
    execFileSync('sh', ['-c', make], { cwd: directory.path, stdio: 'ignore' })
    const path = join(directory.path, deep)
    await removeTree(path)
    expect(existsSync(path)).toBe(false)
  })

  test.skipIf(!isLinux || process.getuid?.() === 0)(
    'takes directories that may not be read or written',
    async () => {
      await using directory = await temporaryDirectory()
      const path = join(directory.path, 'a')
      for (const mode of [0o000, 0o555, 0o111]) {
        mkdirSync(join(path, `${mode}`, 'b', 'c'), { recursive: true })
        writeFileSync(join(path, `${mode}`, 'b', 'f'), '')
        chmodSync(join(path, `${mode}`, 'b'), mode)
        chmodSync(join(path, `${mode}`), mode)
      }
      await removeTree(path)
      expect(existsSync(path)).toBe(false)
    },
  )

  test('takes names that are no UTF-8', async () => {
    await using directory = await temporaryDirectory()
    const path = join(directory.path, 'a')
    mkdirSync(join(path, 'b'), { recursive: true })
    writeFileSync(Buffer.concat([Buffer.from(`${path}/b/bad`), Buffer.of(0xff)]), '')
    await removeTree(path)
    expect(existsSync(path)).toBe(false)
  })

  test('lets others go on, and needs no memory for a great number of files', {
    tags: 'nightly',
    timeout: 120_000,
  }, async () => {
    await using directory = await temporaryDirectory()
    const path = join(directory.path, 'a')
    mkdirSync(path)
    execFileSync('python3', ['-c', 'for n in range(20_000): open(f"f{n}", "x").close()'], { cwd: path })
    const before = process.memoryUsage().rss
    let turns = 0
    let peak = 0
    const timer = setInterval(() => {
      turns++
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 1)
    await removeTree(path)
    clearInterval(timer)
    expect(existsSync(path)).toBe(false)
    expect(turns).toBeGreaterThan(3)
    expect((peak - before) / 2 ** 20).toBeLessThan(150)
  })

  test('removes only the link where the directory itself became one', async () => {
    await using directory = await temporaryDirectory()
    mkdirSync(join(directory.path, 'theirs'))
    writeFileSync(join(directory.path, 'theirs', 'f'), '')
    symlinkSync(join(directory.path, 'theirs'), join(directory.path, 'link'))
    await removeTree(join(directory.path, 'link'))
    expect(readdirSync(directory.path, { recursive: true }).map(String).toSorted()).toEqual([
      'theirs',
      'theirs/f',
    ])
  })
})

describe('a directory that a program put where its file was', () => {
  test('stays while code may run there, and goes with close', async () => {
    await using parent = await temporaryDirectory()
    const directory = new HostWorkDirectory({ path: parent.path })
    await directory.open()
    mkdirSync(join(parent.path, '.fenced-x.py', 'd'), { recursive: true })
    await directory.remove('.fenced-x.py')
    expect(existsSync(join(parent.path, '.fenced-x.py', 'd'))).toBe(true)
    await directory.close()
    expect(readdirSync(parent.path)).toEqual([])
  })
})
