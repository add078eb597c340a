import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findHierarchy } from '../src/isolation/cgroup-hierarchy.ts'

/** A directory with files, and with the two files by which the kernel describes a process. */
async function describedBy(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'fenced-cgroup-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    if (content === 'a directory') mkdirSync(join(root, name))
    else writeFileSync(join(root, name), content.replaceAll('ROOT', root))
  }
  return root
}

const v1 = '31 23 0:28 / ROOT/memory rw - cgroup cgroup rw,memory\n'
const v2 = '30 23 0:27 / ROOT/all rw - cgroup2 cgroup2 rw\n'
const disk = '29 23 0:26 / / rw - ext4 /dev/vda rw\n'

describe.runIf(process.platform === 'linux')('control groups of version 1', () => {
  it('are made in the group of this process', async () => {
    const cgroup = 'none\n7:cpu:/other\n5:cpuset,memory:/ours\n0::/unified\n'
    const self = await describedBy({ mountinfo: disk + v2 + v1, cgroup, 'memory/ours/tasks': '' })
    expect(findHierarchy('memory', self)).toEqual({ parent: join(self, 'memory/ours'), version: 1 })
  })

  it('are made below a mounted part', async () => {
    const mountinfo = v1.replace(' / ROOT', ' /docker/abc ROOT')
    const self = await describedBy({ mountinfo, cgroup: '5:memory:/docker/abc/x\n', 'memory/x/tasks': '' })
    expect(findHierarchy('memory', self)).toEqual({ parent: join(self, 'memory/x'), version: 1 })
  })

  it.each([
    ['lies outside of what is mounted', '5:memory:/docker/other\n'],
    ['is not named', '7:cpu:/docker/abc\n\n'],
  ])('are not made where the group of this process %s', async (_, cgroup) => {
    const self = await describedBy({ mountinfo: v1.replace(' / ROOT', ' /docker/abc ROOT'), cgroup })
    expect(() => findHierarchy('memory', self)).toThrow('the control group of this process cannot be seen')
  })
})

describe.runIf(process.platform === 'linux')('control groups of version 2', () => {
  const groups = (group: string, enabled: string) => ({
    [`all${group}/cgroup.procs`]: '',
    [`all${group}/cgroup.subtree_control`]: enabled,
  })
  const described = { mountinfo: disk + v2, cgroup: '0::/a/b\n' }

  it('are made in the group of this process, which gets the controller', async () => {
    const self = await describedBy({ ...described, ...groups('/a/b', 'cpu pids\n') })
    expect(findHierarchy('memory', self)).toEqual({ parent: join(self, 'all/a/b'), version: 2 })
    expect(readFileSync(join(self, 'all/a/b/cgroup.subtree_control'), 'utf8')).toBe('+memory')
  })

  it('leave a controller alone that is enabled', async () => {
    const self = await describedBy({ ...described, ...groups('/a/b', 'cpu memory\n') })
    expect(findHierarchy('memory', self)).toEqual({ parent: join(self, 'all/a/b'), version: 2 })
    expect(readFileSync(join(self, 'all/a/b/cgroup.subtree_control'), 'utf8')).toBe('cpu memory\n')
  })

  it('are made further up where the group of this process has no controllers', async () => {
    const self = await describedBy({
      ...described,
      ...groups('/a/b', 'a directory'),
      ...groups('/a', 'memory\n'),
    })
    expect(findHierarchy('memory', self)).toEqual({ parent: join(self, 'all/a'), version: 2 })
  })

  it('are not made where no group has controllers, or none is mounted', async () => {
    const without = await describedBy({ ...described, 'all/a/b/tasks': '' })
    expect(() => findHierarchy('memory', without)).toThrow(/ENOENT.*all\/a\/b\/cgroup\.procs/)
    const none = await describedBy({ mountinfo: disk, cgroup: '' })
    expect(() => findHierarchy('memory', none)).toThrow('there are no control groups')
  })
})
