import type { HostWorkDirectory } from '@fenced/core/driver'
import { runBestEffort } from '../exec/exec-target.ts'
import type { ReadySandbox } from './ready-sandbox.ts'

/** Time limit in the sandbox, in milliseconds. */
const limitMs = 30_000

/**
 * Directories that their owner has locked are opened. `-execdir` also works where a path is too long, but BusyBox does not have it.
 * GNU find's `-perm /` means any of the bits, as in BusyBox.
 */
const script = `cd "$1" && for action in -execdir -exec
do find . \\( -type d ! -perm -0500 $action chmod u+rwx {} \\; \\) -o -type f -perm /6000 $action chmod ug-s {} + && break
done`

/**
 * Clears the set-user-ID and set-group-ID bits in a mounted working directory. Files that this process may not change belong to
 * the user of the programs, who may.
 */
export async function clearSetIdsOf(target: ReadySandbox, workDirectory: HostWorkDirectory): Promise<void> {
  if (!('mounted' in target.files) || process.getuid?.() === target.facts.userId) return
  // Where directories are moved meanwhile, the end of the working directory reports it.
  if (await workDirectory.clearSetIds().catch(() => false)) return
  await runBestEffort(target, ['/bin/sh', '-c', script, 'fenced', target.directory], { limitMs })
}
