import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { formatOwner, thisOwner } from '@fenced/core/internal'
import { describe, expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'
import { findHierarchy } from '../src/isolation/cgroup-hierarchy.ts'
import { isSystemdInCharge } from '../src/isolation/systemd-scopes.ts'
import { resourceLimits } from './requirements.ts'

describe.skipIf(resourceLimits.missing || isSystemdInCharge())('control groups', () => {
  it('go with their sandbox, and those of a killed host with the next start', async () => {
    const { realm, processId } = thisOwner()
    // No process has this number: the kernel has none that are so large.
    const left = `fenced-${realm}.${processId + 2 ** 22}-0`
    const folders = [findHierarchy('memory').parent, findHierarchy('pids').parent]
    for (const folder of folders) mkdirSync(join(folder, left), { recursive: true })
    const sandbox = new LocalSandbox({ isolation: 'bubblewrap' })
    await sandbox.start()
    const ours = () => folders.flatMap((folder) => readdirSync(folder).filter(isOurs))
    expect(ours()).toHaveLength(folders.length)
    await sandbox.stop()
    expect(ours()).toEqual([])
    expect(folders.flatMap((folder) => readdirSync(folder))).not.toContain(left)
  })
})

/** Of this process. */
function isOurs(name: string): boolean {
  return name.startsWith(`fenced-${formatOwner(thisOwner())}-`)
}
