import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A tree of control groups (cgroups) of the kernel, and where in it this process can make groups. */
export interface Hierarchy {
  readonly parent: string
  readonly version: 1 | 2
}

interface Mount {
  readonly directory: string
  /** Which part of the hierarchy is mounted there. */
  readonly root: string
  readonly version: 1 | 2
  /** Of version 1: the names of its controllers, among others. */
  readonly options: readonly string[]
}

/**
 * @param self - where the kernel describes this process.
 * @throws Error which says why this process can bound nothing by it.
 */
export function findHierarchy(controller: 'memory' | 'pids' | 'cpu', self = '/proc/self'): Hierarchy {
  const mounts = readMounts(self)
  const own = mounts.find(({ version, options }) => version === 1 && options.includes(controller))
  if (own !== undefined) {
    const parent = ownGroup(own, self, controller)
    accessSync(parent, constants.W_OK)
    return { parent, version: 1 }
  }
  const unified = mounts.find(({ version }) => version === 2)
  if (unified === undefined) throw new Error('there are no control groups')
  return { parent: findParent(unified, self, controller), version: 2 }
}

/**
 * In version 2 only the root group can have both processes and controllers for subgroups. So our group may have to be
 * next to the group of this process, or further up.
 */
function findParent(mount: Mount, self: string, controller: string): string {
  let reason: unknown
  for (let group = ownGroup(mount, self, ''); ; group = dirname(group)) {
    try {
      // Moving a process needs write access to the common ancestor of both groups.
      accessSync(join(group, 'cgroup.procs'), constants.W_OK)
      accessSync(group, constants.W_OK)
      const enabled = join(group, 'cgroup.subtree_control')
      if (!words(enabled).includes(controller)) writeFileSync(enabled, `+${controller}`)
      return group
    } catch (error) {
      reason ??= error
    }
    if (relative(mount.directory, group) === '') throw reason
  }
}

function ownGroup({ directory, root }: Mount, self: string, controller: string): string {
  for (const line of readFileSync(join(self, 'cgroup'), 'utf8').split('\n')) {
    const [, controllers, path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (controllers === undefined || !controllers.split(',').includes(controller)) continue
    const below = relative(root, path)
    if (below === '..' || below.startsWith('../')) break
    return join(directory, below)
  }
  throw new Error('the control group of this process cannot be seen')
}

function readMounts(self: string): Mount[] {
  return readFileSync(join(self, 'mountinfo'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, , , root, directory, ...rest] = line.split(' ')
      const [type, , options] = rest.slice(rest.indexOf('-') + 1)
      if (root === undefined || directory === undefined || (type !== 'cgroup' && type !== 'cgroup2'))
        return []
      return [{ root, directory, version: type === 'cgroup2' ? 2 : 1, options: options?.split(',') ?? [] }]
    })
}

function words(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split(/\s+/)
}
