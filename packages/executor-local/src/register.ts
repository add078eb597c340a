import { registerExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from './local-command-line-code-executor.ts'

registerExecutor('commandline-local', (options) => new LocalCommandLineCodeExecutor(options))
