import { delimiter } from 'node:path'
import { nonInteractiveEnvironment } from '@fenced/core/driver'

export type Environment = Readonly<Record<string, string>>

/** What a program needs to find its tools, its home and its language. Nothing here holds a secret. */
const allowed = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  // Windows: most programs do not even start without these.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE'],
  ...[
    'HOMEDRIVE',
    'HOMEPATH',
    'APPDATA',
    'LOCALAPPDATA',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'NUMBER_OF_PROCESSORS',
  ],
])

/** The environment of the programs: an allow-list of the host's variables, ours, and the caller's. */
export function programEnvironment(
  host: NodeJS.ProcessEnv,
  { env, inheritEnv }: { env: Environment; inheritEnv: boolean },
): Environment {
  const passed = Object.entries(host).filter(
    ([name, value]) => value !== undefined && (inheritEnv || isAllowed(name)),
  ) as Array<[string, string]>
  return { ...Object.fromEntries(passed), ...nonInteractiveEnvironment, ...env }
}

/** The same environment in which programs of `directory` are found first, as in an activated virtual environment. */
export function withPathFirst(environment: Environment, directory: string): Environment {
  // Windows spells it `Path`.
  const name = Object.keys(environment).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  const path = environment[name]
  return { ...environment, [name]: path === undefined ? directory : `${directory}${delimiter}${path}` }
}

function isAllowed(name: string): boolean {
  const upperCase = name.toUpperCase()
  return allowed.has(upperCase) || upperCase.startsWith('LC_')
}
