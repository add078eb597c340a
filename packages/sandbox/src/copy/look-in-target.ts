import { runCommand } from '../exec/run-command.ts'
import type { CopyTarget } from './sides.ts'

/** A name below the working directory of the sandbox. */
export interface FoundName {
  readonly name: string
  /** Where it leads, of a link. */
  readonly linksTo?: string
}

/** What is in directories of the sandbox; `undefined` when they cannot be listed. */
export async function listInTarget(
  target: CopyTarget,
  directories: readonly string[],
): Promise<FoundName[] | undefined> {
  const found = await runScript(target, listing, directories)
  return found?.flatMap((text, index) => {
    if (text.startsWith('t')) return []
    const linksTo = text.startsWith('l') ? { linksTo: found[index + 1] ?? '' } : {}
    return [{ name: text.replace(/^.\/?/, ''), ...linksTo }]
  })
}

/** Whether any of these names is there; `undefined` when that is not known. */
export async function isAnyInTarget(
  target: CopyTarget,
  names: readonly string[],
): Promise<boolean | undefined> {
  for (const batch of batches(names)) {
    const found = await runScript(target, search, batch)
    if (found === undefined || found.length > 0) return found && true
  }
  return false
}

/** With what every shell has built in, but for the targets of links. The code's user may not be let into a directory. */
const listing = `
for directory do
  cd -- "$root/$directory" || exit
  for name in * .[!.]* ..?*; do
    if [ -L "$name" ]; then printf 'l%s\\0t%s\\0' "$directory/$name" "$(readlink -- "$name" 2>/dev/null)"
    elif [ -e "$name" ]; then printf 'p%s\\0' "$directory/$name"; fi
  done
done
:`

const search = `
for name do
  if [ -e "$root/$name" ] || [ -L "$root/$name" ]; then printf 'p\\0'; exit; fi
done`

/** A directory of a hundred thousand long names. */
const maxListingBytes = 32 * 2 ** 20

/** What a script says, in pieces that end with a zero. */
async function runScript(
  { backend, path, owner, signal }: CopyTarget,
  script: string,
  names: readonly string[],
): Promise<string[] | undefined> {
  const target = { backend, user: `${owner.uid}:${owner.gid}`, directory: '/' }
  const { exitCode, output } = await runCommand(target, {
    command: ['/bin/sh', '-c', `root=$1; shift; ${script}`, 'fenced', path, ...names],
    signal,
    maxOutputBytes: maxListingBytes,
  })
  return exitCode === 0 ? output.split('\0').slice(0, -1) : undefined
}

/** As many bytes as go well with any system's limit for arguments. */
const batchBytes = 100_000

/** Names in order, as many at a time as one command takes for arguments. */
export function batches(names: readonly string[]): string[][] {
  const all: string[][] = []
  let room = 0
  for (const name of names) {
    const bytes = Buffer.byteLength(name) + 1
    if (bytes > room) {
      all.push([])
      room = batchBytes
    }
    room -= bytes
    all.at(-1)?.push(name)
  }
  return all
}
