import { commandLine } from './command-line.ts'

try {
  await commandLine((exitCode) => {
    process.exitCode = exitCode
  }).parseAsync()
} catch (error) {
  const { reportError } = await import('./report-error.ts')
  process.exitCode = reportError(error)
}
