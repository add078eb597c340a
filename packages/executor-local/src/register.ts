import { registerExecutor } from '@fenced/core/driver'
import { LocalCommandLineCodeExecutor } from './local-command-line-code-executor.ts'
import type { InstallPackages } from './local-packages.ts'

registerExecutor('commandline-local', (options) => {
  // A config has none: it comes from the program that loads one.
  const { installPackages, ...data } = options
  return typeof installPackages === 'function'
    ? new LocalCommandLineCodeExecutor(data, { installPackages: installPackages as InstallPackages })
    : new LocalCommandLineCodeExecutor(options)
})
