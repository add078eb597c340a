import { FencedError } from '@fenced/core'
import { runCommand } from '../exec/run-command.ts'
import { getArchive } from './get-archive.ts'
import type { CopyTarget, FileOwner } from './sides.ts'

/**
 * Lets the files' owner write in the directory itself. A new volume belongs to root (Docker) or to the container's
 * user (Podman). An archive cannot change that: Docker leaves out its entry for the directory itself. But the user that
 * owns a directory may open it to others, without any capability.
 */
export async function makeWritable(target: CopyTarget): Promise<void> {
  const { backend, path, owner, signal } = target
  const { uid = 0, gid = 0, mode = 0 } = await ownHeader(target)
  if (isWritable({ uid, gid, mode }, owner)) return
  const asOwner = { backend, user: `${uid}:${gid}`, directory: '/' }
  const { exitCode, output } = await runCommand(asOwner, {
    command: ['/bin/sh', '-c', 'chmod 0777 "$1"', 'fenced', path],
    signal,
  })
  if (exitCode === 0) return
  throw new FencedError({
    code: 'WORK_DIR_UNUSABLE',
    message: `The directory ${path} in the sandbox belongs to the user ${uid}:${gid} and could not be opened to ${owner.uid}:${owner.gid}, the user of the code (${output.trim() || `exit code ${exitCode}`}). Use an image with /bin/sh and chmod.`,
    data: {
      path,
      owner: `${uid}:${gid}`,
      user: `${owner.uid}:${owner.gid}`,
      exitCode: `${exitCode}`,
      output,
    },
  })
}

async function ownHeader(target: CopyTarget) {
  for await (const { header } of getArchive(target, target.path)) return header
  throw new FencedError({
    code: 'WORK_DIR_UNUSABLE',
    message: `The sandbox has no directory ${target.path}. Create it with a volume there.`,
    data: { path: target.path },
  })
}

function isWritable(
  { uid, gid, mode }: { uid: number; gid: number; mode: number },
  owner: FileOwner,
): boolean {
  if (uid === owner.uid) return (mode & 0o700) === 0o700
  if (gid === owner.gid) return (mode & 0o070) === 0o070
  return (mode & 0o007) === 0o007
}
