import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join, posix, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FencedError } from '@fenced/core'
import { pack as newPack, type Pack } from 'tar-stream'
import type { BuildOptions } from '../image-options.ts'
import { Dockerignore } from './dockerignore.ts'

/** The files that a build gets. */
export interface BuildContext {
  /** Absolute path of the directory. */
  readonly directory: string
  /** The Dockerfile's path from there, with `/` between its parts. */
  readonly dockerfile: string
  readonly ignore: Dockerignore
}

/** @throws FencedError `BUILD_CONTEXT_NOT_FOUND`, `INVALID_OPTIONS` or `BUILD_FAILED`. */
export async function readBuildContext(build: BuildOptions): Promise<BuildContext> {
  const directory = resolve(build.context)
  const path = resolve(directory, build.dockerfile)
  const dockerfile = relative(directory, path).split(sep).join('/')
  if (dockerfile.startsWith('..')) {
    throw new FencedError({
      code: 'INVALID_OPTIONS',
      message: `The Dockerfile ${path} must be in the build's \`context\`, ${directory}, or below it.`,
    })
  }
  const context = await stat(directory).catch(() => undefined)
  if (!context?.isDirectory()) throw notFound(directory, 'directory')
  const file = await stat(path).catch(() => undefined)
  if (!file?.isFile()) throw notFound(path, 'Dockerfile')
  // As for the docker command, one of the Dockerfile's own goes first.
  const ownFile = `${path}.dockerignore`
  const own = await read(ownFile)
  const commonFile = join(directory, '.dockerignore')
  const text = own ?? (await read(commonFile)) ?? ''
  // The builder needs the one, and would follow the other.
  const rules = `${text}\n!${dockerfile}\n${own === undefined ? '!' : ''}.dockerignore`
  return { directory, dockerfile, ignore: new Dockerignore(rules, own === undefined ? commonFile : ownFile) }
}

/** The files as a tar. Its error is a FencedError `BUILD_FAILED` that tells of a file which cannot be read. */
export function packBuildContext(context: BuildContext): Readable {
  const pack = newPack()
  // It comes out of the stream around it: tar-stream's own is no stream of Node's, and throws where that only ends.
  pack.on('error', () => {})
  fill(pack, context).then(
    () => pack.finalize(),
    (error: Error) => pack.destroy(unreadable(context, error)),
  )
  return Readable.from(pack, { objectMode: false })
}

async function fill(pack: Pack, context: BuildContext): Promise<void> {
  for await (const path of pathsBelow('', context)) {
    await add(pack, path, join(context.directory, path))
  }
}

async function* pathsBelow(directory: string, context: BuildContext): AsyncGenerator<string> {
  const names = await readdir(join(context.directory, directory))
  for (const name of names.sort()) {
    const path = posix.join(directory, name)
    const isLeftOut = context.ignore.leavesOut(path)
    if (!isLeftOut) yield path
    if (isLeftOut && !context.ignore.mayTakeBelow(path)) continue
    if ((await lstat(join(context.directory, path))).isDirectory()) yield* pathsBelow(path, context)
  }
}

async function add(pack: Pack, name: string, path: string): Promise<void> {
  const stats = await lstat(path)
  // The owner is nobody of the image's; Windows has no modes.
  const mode = process.platform === 'win32' ? 0o755 : stats.mode & 0o7777
  const header = { name, mode, mtime: stats.mtime }
  if (stats.isDirectory()) pack.entry({ ...header, type: 'directory' })
  else if (stats.isSymbolicLink()) pack.entry({ ...header, type: 'symlink', linkname: await readlink(path) })
  else if (stats.isFile()) await addContent(pack, { ...header, size: stats.size }, path)
}

/** As much as there was: a log may grow meanwhile. */
async function addContent(pack: Pack, header: { name: string; size: number }, path: string): Promise<void> {
  if (header.size === 0) return void pack.entry(header, '')
  const entry = pack.entry(header)
  // The pipeline rejects with it; but one that came before its end is not heard there any more.
  entry.on('error', () => {})
  await pipeline(createReadStream(path, { end: header.size - 1 }), entry)
}

async function read(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined)
}

function notFound(path: string, what: string): FencedError {
  return new FencedError({
    code: 'BUILD_CONTEXT_NOT_FOUND',
    message: `There is no ${what} at ${path}: check the \`build\` option.`,
  })
}

function unreadable({ directory }: BuildContext, cause: Error): FencedError {
  return new FencedError({
    code: 'BUILD_FAILED',
    message: `The files for the build cannot be read: ${cause.message}. What it does not need can be named in ${join(directory, '.dockerignore')}.`,
    cause,
  })
}
