import { registerExecutor } from '@fenced/core/driver'
import { DockerCommandLineCodeExecutor } from './docker-command-line-code-executor.ts'

registerExecutor('commandline-docker', (options) => new DockerCommandLineCodeExecutor(options))
