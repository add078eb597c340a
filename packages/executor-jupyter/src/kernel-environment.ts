import { type Environment, programEnvironment } from '@fenced/host'

/** The environment of a kernel: that of any program, but for a kernel's own way to draw. */
export function kernelEnvironment({
  env,
  inheritEnv,
}: {
  readonly env: Environment
  readonly inheritEnv: boolean
}): Environment {
  const environment = { ...programEnvironment(process.env, { env: {}, inheritEnv }) }
  // A kernel draws into its results when nothing else is said.
  delete environment.MPLBACKEND
  return { ...environment, ...env }
}
