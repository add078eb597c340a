import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { mkdtempDisposable, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '@fenced/host'
import { formatOwner, thisOwner } from '@fenced/shared'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { findHierarchy } from '../src/isolation/cgroup-hierarchy.ts'
import { ControlGroups } from '../src/isolation/control-groups.ts'
import { isSystemdInCharge } from '../src/isolation/systemd-scopes.ts'
import { resourceLimits } from './requirements.ts'

const folders = () => [findHierarchy('memory').parent, findHierarchy('pids').parent]
const ours = () => folders().flatMap((folder) => readdirSync(folder).filter(isOurs))

describe.skipIf(resourceLimits.missing || isSystemdInCharge())('control groups', () => {
  it('go with their command, and those of a killed host with the next start', async () => {
    const { realm, processId } = thisOwner()
    // No process has this number: the kernel has none that are so large.
    const left = `fenced-${realm}.${processId + 2 ** 22}-0`
    for (const folder of folders()) mkdirSync(join(folder, left), { recursive: true })
    const before = ours()
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
    await sandbox.start()
    expect(folders().flatMap((folder) => readdirSync(folder))).not.toContain(left)
    const process = await sandbox.spawn(['cat'], { stdin: 'open' })
    expect(ours()).toHaveLength(before.length + new Set(folders()).size)
    process.stdin?.end()
    await process.ended
    await sandbox.stop()
    expect(ours()).toEqual(before)
  })

  it('bound the time of processors', async () => {
    const groups = ControlGroups.find({ cpus: 0.25 })
    if (typeof groups === 'string') expect.fail(groups)
    const { parent, version } = findHierarchy('cpu')
    const before = new Set(readdirSync(parent))
    groups.wrap(['true'])
    const [made = ''] = readdirSync(parent).filter((name) => isOurs(name) && !before.has(name))
    const contentOf = (name: string) => readFileSync(join(parent, made, name), 'utf8').trim()
    if (version === 2) expect(contentOf('cpu.max')).toBe('25000 100000')
    else expect([contentOf('cpu.cfs_quota_us'), contentOf('cpu.cfs_period_us')]).toEqual(['25000', '100000'])
    rmdirSync(join(parent, made))
  })

  it('of a start that fails are removed', async () => {
    const before = ours()
    await using folder = await mkdtempDisposable(join(tmpdir(), 'fenced-without-python-'))
    await symlink(findProgram('bwrap') ?? '', join(folder.path, 'bwrap'))
    vi.stubEnv('PATH', folder.path)
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const network = { allowedHosts: ['api.example.com'] } as const
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', network })
    // A network by list needs Python.
    await expect(sandbox.start()).rejects.toMatchObject({ code: 'NETWORK_HELPER_FAILED' })
    expect(ours()).toEqual(before)
  })
})

describe.skipIf(resourceLimits.missing)('limits', () => {
  it('are those of each process that is spawned, with all that it starts', async () => {
    await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', memoryBytes: 60 * 2 ** 20, pids: 30 })
    await sandbox.start()
    // Both hold more than half of what one process may have.
    const script =
      'for i in $(seq 15); do sleep 600 & done; head -c 35000000 /dev/zero > /tmp/held; echo ready; read -r _'
    const spawnOne = () => sandbox.spawn(['sh', '-c', script], { stdin: 'open' })
    const processes = await Promise.all([spawnOne(), spawnOne()])
    for (const { stdout } of processes) expect(`${(await once(stdout, 'data'))[0]}`).toBe('ready\n')
    const greedy = await sandbox.spawn(['sh', '-c', 'head -c 200000000 /dev/zero | tail -c 200000000'])
    expect(await greedy.ended).toMatchObject({ outOfMemory: true })
    for (const process of processes) {
      expect(await process.outOfMemoryKills?.()).toBe(0)
      process.stdin?.end()
      expect(await process.ended).toMatchObject({ exitCode: 1 })
    }
  })
})

/** Of this process. */
function isOurs(name: string): boolean {
  return name.startsWith(`fenced-${formatOwner(thisOwner())}-`)
}
