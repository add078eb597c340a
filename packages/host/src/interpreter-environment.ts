import { programEnvironment } from './program-environment.ts'
import { withTrustedPath } from './trusted-programs.ts'

/** Version managers read these to decide what their `python3` starts. */
const ofVersionManagers = new Set([
  ...['PYENV_ROOT', 'PYENV_VERSION', 'ASDF_DIR', 'ASDF_DATA_DIR', 'ASDF_CONFIG_FILE', 'ASDF_PYTHON_VERSION'],
  ...['MISE_DATA_DIR', 'MISE_CONFIG_DIR', 'MISE_CACHE_DIR', 'MISE_STATE_DIR', 'MISE_PYTHON_VERSION'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'],
])

/**
 * Returns the environment in which this process queries an interpreter: the environment for programs, plus the variables of
 * version managers. It contains no secrets of this process, and its PATH contains no directory that code can write to.
 */
export function interpreterEnvironment(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(host).filter(([name]) => ofVersionManagers.has(name))
  const environment = programEnvironment(host, { env: {}, inheritEnv: false })
  return withTrustedPath({ ...environment, ...Object.fromEntries(passed) })
}
