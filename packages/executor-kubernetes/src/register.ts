import { registerExecutor } from '@fenced/core/driver'
import { KubernetesCommandLineCodeExecutor } from './kubernetes-command-line-code-executor.ts'

registerExecutor('commandline-kubernetes', (options) => new KubernetesCommandLineCodeExecutor(options))
