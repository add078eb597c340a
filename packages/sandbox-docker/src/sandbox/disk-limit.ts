import { FencedError } from '@fenced/core'
import { runCommand } from '@fenced/sandbox/driver'
import type { Container } from '../container/container.ts'
import type { ContainerPlan } from './container-plan.ts'
import { workingDirectoryInside } from './sandbox-options.ts'

/**
 * Prints each mount that can be written to, with its size in blocks and the size of a block. The kernel's own file systems store no
 * files, and `/dev` is a small file system in memory.
 */
const printRooms = `
while read -r device place type options rest; do
  case $type in proc | sysfs | cgroup | cgroup2 | devpts | mqueue) continue ;; esac
  case $place in /dev | /proc/* | /sys/*) continue ;; esac
  case ,$options, in *,rw,*) ;; *) continue ;; esac
  case $place in *\\\\*) ;; *) [ -d "$place" ] || [ -w "$place" ] || continue ;; esac
  echo "$(stat -f -c '%b %S' "$place") $place"
done < /proc/mounts
`

/**
 * Returns the disk limit of a new container, as its file systems report it; `undefined` without the `diskBytes` option.
 *
 * @throws FencedError `DISK_LIMIT_UNAVAILABLE` where programs can write more in a place than the option allows.
 */
export async function diskLimitInForce(
  container: Container,
  { settings: { diskBytes }, user }: ContainerPlan,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (diskBytes === undefined) return undefined
  const target = { backend: container, user, directory: '/' }
  const { output } = await runCommand(target, { command: ['/bin/sh', '-c', printRooms], signal })
  const rooms = new Map(output.trim().split('\n').map(roomOf))
  for (const [place, room] of rooms) {
    // Also for a size that could not be read, which is not a number.
    if (!(room <= inPages(diskBytes))) throw unavailable(diskBytes, `${place} has room for ${room} bytes`)
  }
  const limit = rooms.get(workingDirectoryInside)
  if (limit === undefined) throw unavailable(diskBytes, `the size of ${workingDirectoryInside} is unknown`)
  return limit
}

/** An engine refuses a size of the root where its storage driver has none. */
export function diskLimitRefused(
  { settings: { diskBytes } }: ContainerPlan,
  reason: string,
): FencedError | undefined {
  if (diskBytes === undefined || !/storage[- ]?opt|quota/i.test(reason)) return undefined
  return unavailable(diskBytes, `the engine refused a size of the root file system (${reason})`)
}

function roomOf(line: string): [place: string, room: number] {
  const [, blocks, size, place = line] = /^(\d+) (\d+) (.+)$/.exec(line) ?? []
  return [place, Number(blocks) * Number(size)]
}

/** File systems have whole pages, of at most this size. */
const largestPage = 65_536

function inPages(bytes: number): number {
  return Math.ceil(bytes / largestPage) * largestPage
}

const advice =
  'Use Docker with `workDirMode: "copy"`, or a directory on a file system of that size or with a project quota with `workDirMode: "bind"`. Otherwise leave out `diskBytes`.'

function unavailable(diskBytes: number, reason: string): FencedError {
  return new FencedError({
    code: 'DISK_LIMIT_UNAVAILABLE',
    message: `The limit \`diskBytes\` (${diskBytes}) is not in force: ${reason}. ${advice}`,
    data: { option: 'diskBytes', reason },
  })
}
