import type { FileHandle } from 'node:fs/promises'
import type { HostWorkDirectory } from '@fenced/core/driver'
import { ignoredDirectories } from '@fenced/core/internal'
import { firstBytes } from '@fenced/shared'
import type { CopyReport, SkippedEntries } from './copy-report.ts'
import { HashedContent } from './hashed-content.ts'
import { ancestorsOf, outermost, parentOf } from './names.ts'
import { type ArchiveToPut, putArchive } from './put-archive.ts'
import type { KnownEntries, KnownEntry, Sides } from './sides.ts'

type DirectoryTree = Awaited<ReturnType<HostWorkDirectory['tree']>>
type TreeEntry = NonNullable<ReturnType<HostWorkDirectory['entry']>>

/** A copy into the sandbox. */
export interface CopiedIn {
  /** The names that were removed on this machine; of a directory with all that is in it, only its own. */
  readonly removed: readonly string[]
  /** Entries that were left on this machine. */
  readonly report: CopyReport
}

/** Sends what was made or changed on this machine. */
export async function copyIn(sides: Sides, skipped: SkippedEntries): Promise<CopiedIn> {
  const { hostDirectory, known } = sides
  skipped.begin()
  const tree = await hostDirectory.tree(ignoredDirectories)
  for (const [name, { why, version }] of tree.others) skipped.add({ name, why }, version)
  const names = namesToSend(tree, known)
  if (names.size > 0) await send(sides, { tree, names, skipped })
  const removed = new Set([...known.keys()].filter((name) => !tree.has(name)))
  for (const name of removed) known.delete(name)
  // What was below a directory that is a file now went with the directory.
  const outer = outermost(removed).filter((name) => tree.get(parentOf(name))?.kind !== 'file')
  return { removed: outer, report: skipped.report(true) }
}

function namesToSend(tree: DirectoryTree, known: KnownEntries): Set<string> {
  const names = new Set<string>()
  for (const [name, entry] of tree) {
    if (isSame(entry, known.get(name))) continue
    // The directories above it too, always: a program may have put a link in their place, which the engine follows.
    for (const ancestor of ancestorsOf(name)) names.add(ancestor)
    names.add(name)
  }
  return names
}

function isSame(entry: TreeEntry, known: KnownEntry | undefined): boolean {
  if (entry.kind === 'directory') return known?.kind === 'directory'
  return known?.kind === 'file' && known.hostVersion === entry.version
}

async function send(
  { hostDirectory, target, known }: Sides,
  { tree, names, skipped }: { tree: DirectoryTree; names: Iterable<string>; skipped: SkippedEntries },
): Promise<void> {
  const sent = new Map<string, KnownEntry>()
  await putArchive(target, async (archive) => {
    for (const name of names) {
      const entry = tree.get(name)
      if (entry === undefined) continue
      await using file = entry.kind === 'file' ? await hostDirectory.openFile(name) : undefined
      if (entry.kind === 'file' && file === undefined) {
        // Gone by now, unless it is still there.
        if (hostDirectory.entry(name)?.kind === 'file')
          skipped.add({ name, why: cannotBeRead }, entry.version)
        continue
      }
      known.set(name, { kind: 'unsure' })
      sent.set(name, await add(archive, { name, entry, file }))
    }
  })
  for (const [name, entry] of sent) known.set(name, entry)
}

async function add(
  archive: ArchiveToPut,
  { name, entry, file }: { name: string; entry: TreeEntry; file: FileHandle | undefined },
): Promise<KnownEntry> {
  const { mode } = entry
  const modifiedSeconds = Math.min(Math.max(Math.floor(entry.modifiedMs / 1000), 0), latestSeconds)
  if (entry.kind === 'directory' || file === undefined) {
    await archive.addDirectory({ name, mode, modifiedSeconds })
    return { kind: 'directory' }
  }
  const { sizeBytes, version } = entry
  const content = new HashedContent(contentOf(file, sizeBytes))
  await archive.addFile({ name, mode, modifiedSeconds }, sizeBytes, content)
  const look = { sizeBytes, modifiedSeconds, mode }
  return { kind: 'file', look, hash: content.digest(), hostVersion: version }
}

const cannotBeRead = 'cannot be read'

/** tar-stream counts in 32 bits, and spoils the header beyond. */
const latestSeconds = 0x7fff_ffff

/**
 * The first `size` bytes of a file, filled up with zeros when it has become shorter: the archive has promised so
 * `size`. Its version changes then, so the next copy sends the file again.
 */
async function* contentOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let missing = size
  for await (const chunk of firstBytes(file, size)) {
    missing -= chunk.length
    yield chunk
  }
  for (; missing > 0; missing -= Math.min(missing, zeros.length)) yield zeros.subarray(0, missing)
}

const zeros = Buffer.alloc(256 * 1024)
