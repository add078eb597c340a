import { readArguments, withoutSeparator } from './command-line/arguments.ts'
import { reportError } from './report-error.ts'

try {
  const [first, ...rest] = withoutSeparator(process.argv.slice(2))
  if (first === 'web') {
    const { web } = await import('./web/web.ts')
    process.exitCode = await web(rest)
  } else {
    const args = readArguments(process.argv.slice(2))
    if (args !== undefined) {
      // Agents take longer to load than help and a mistyped option may take.
      const { run } = await import('./run.ts')
      process.exitCode = await run(args)
    }
  }
} catch (error) {
  process.exitCode = reportError(error)
}
