import { type Environment, programEnvironment, withTrustedPath } from '@fenced/host'
import { isForInstallers } from './installer-variables.ts'

/** The environment of an installer, which runs the code of packages while it builds them: an allowlist. */
export function installEnvironment(installEnv: Environment): Environment {
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isForInstallers(entry[0]),
  )
  return {
    // uv and pip start other programs, such as git.
    ...withTrustedPath(programEnvironment(process.env, { env: {}, inheritEnv: false })),
    ...Object.fromEntries(passed),
    ...installEnv,
  }
}
