import { delimiter, resolve } from 'node:path'
import { nonInteractiveEnvironment } from '@fenced/shared'

export type Environment = Readonly<Record<string, string>>

/** What a program needs to find its tools, its home and its language. Nothing here holds a secret. */
const allowed = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'TMPDIR'],
  // The locale: the variables of POSIX and of glibc, by name, because `LC_TOKEN` may be anything.
  ...[
    'LANG',
    'LANGUAGE',
    'LC_ALL',
    'LC_ADDRESS',
    'LC_COLLATE',
    'LC_CTYPE',
    'LC_IDENTIFICATION',
    'LC_MEASUREMENT',
  ],
  ...['LC_MESSAGES', 'LC_MONETARY', 'LC_NAME', 'LC_NUMERIC', 'LC_PAPER', 'LC_TELEPHONE', 'LC_TIME'],
])

/** On Windows, where most programs do not even start without these, and where names ignore case. */
const allowedOnWindows = new Set([
  ...allowed,
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE'],
  ...['HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
  'NUMBER_OF_PROCESSORS',
])

/**
 * Returns the environment for programs: the host's allowed variables, Fenced's own, and the caller's. Inherited pip or uv
 * variables take precedence over Fenced's.
 */
export function programEnvironment(
  host: NodeJS.ProcessEnv,
  { env, inheritEnv }: { env: Environment; inheritEnv: boolean },
): Environment {
  const passed = Object.entries(host).filter(
    ([name, value]) => value !== undefined && (inheritEnv || isAllowed(name)),
  ) as Array<[string, string]>
  const folder = host.TMPDIR
  const ofInstallers = passed.filter(([name]) => /^(PIP|UV)_/.test(name))
  return {
    ...Object.fromEntries(passed),
    // A program starts in another directory than this process.
    ...(folder === undefined || folder === '' ? {} : { TMPDIR: resolve(folder) }),
    ...nonInteractiveEnvironment,
    ...Object.fromEntries(ofInstallers),
    ...env,
  }
}

/**
 * Returns the environment with a PATH in which programs in `directory` are found first, as in an activated virtual environment.
 */
export function withPathFirst(environment: Environment, directory: string): Environment {
  const name = Object.keys(environment).find(isPath) ?? 'PATH'
  const path = environment[name]
  return { ...environment, [name]: path === undefined ? directory : `${directory}${delimiter}${path}` }
}

/** Windows usually spells it `Path`. Elsewhere `path` is another variable. */
function isPath(name: string): boolean {
  return (process.platform === 'win32' ? name.toUpperCase() : name) === 'PATH'
}

function isAllowed(name: string): boolean {
  return process.platform === 'win32' ? allowedOnWindows.has(name.toUpperCase()) : allowed.has(name)
}
