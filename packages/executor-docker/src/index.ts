// What a program needs beside the executor, so that it installs one package.
export * from '@fenced/core'
export { DockerSandbox, type DockerSandboxOptions, Engine } from '@fenced/sandbox-docker'
export {
  DockerCommandLineCodeExecutor,
  type DockerExecutorOptions,
} from './docker-command-line-code-executor.ts'
