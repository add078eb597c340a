import { existsSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, normalize, resolve } from 'node:path'
import { FencedError } from '@fenced/core'
import { isIn } from './path-in.ts'

/** Hidden also where a readable path contains them. */
const secretFiles = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-']
const secretDirectories = ['/etc/ssh', '/etc/ssl/private', '/etc/pki/tls/private', '/etc/sudoers.d']
/** They contain what programs must not reach: the host's processes, devices and sockets. */
const closedDirectories = ['/proc', '/sys', '/dev', '/run', '/var/run']
/** Each sandbox has its own. */
const ownDirectories = ['/tmp', '/var/tmp']

/** A path that programs may read beside the system. */
export interface ReadablePath {
  /** As programs name it. */
  readonly path: string
  /** Without symbolic links. */
  readonly realPath: string
}

/** Why programs cannot be shown `path`; `undefined` where they can. Nothing of the file system is looked at. */
export function problemOfReadable(path: string): string | undefined {
  if (!isAbsolute(path)) return 'is not an absolute path'
  const normal = resolve(path)
  if (normal === '/') return 'is the whole file system. List the directories that programs need'
  const closed = closedDirectories.find((each) => isIn(normal, each))
  if (closed !== undefined) return `lies in ${closed}, with the processes, devices or sockets of this machine`
  if (ownDirectories.includes(normal))
    return 'is a directory that each sandbox has for itself. List a path below it'
  const secret = [...secretFiles, ...secretDirectories].find((each) => isIn(normal, each))
  return secret === undefined ? undefined : `lies in ${secret}, with passwords or keys of this machine`
}

/**
 * Follows the links of `paths` once, before programs run.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function findReadable(paths: readonly string[], workDir: string): ReadablePath[] {
  const root = existsSync(workDir) ? realpathSync.native(workDir) : workDir
  return paths.map((given) => {
    const path = resolve(normalize(given))
    if (!existsSync(path)) throw unreadable(path, 'does not exist')
    const realPath = realpathSync.native(path)
    // A program could exchange it for a link, which the next start would follow.
    if (isIn(path, workDir) || isIn(realPath, root))
      throw unreadable(path, 'lies in the working directory, which programs can read')
    const problem = statSync(realPath).isSocket() ? 'is a socket' : problemOfReadable(realPath)
    if (problem !== undefined) throw unreadable(path, problem)
    return { path, realPath }
  })
}

/** The parts of readable paths that stay hidden. */
export function hiddenSecrets(readable: readonly ReadablePath[]): {
  readonly files: readonly string[]
  readonly directories: readonly string[]
} {
  const isHidden = (secret: string) => readable.some(({ path }) => isIn(secret, path)) && existsSync(secret)
  return { files: secretFiles.filter(isHidden), directories: secretDirectories.filter(isHidden) }
}

function unreadable(path: string, problem: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong options: \`readable\` has ${path}, which ${problem}. Nothing was run. Change or remove the path.`,
    data: { option: 'readable', path },
  })
}
