import { expect, it } from 'vitest'
import {
  DockerCommandLineCodeExecutor,
  JupyterCodeExecutor,
  KubernetesCommandLineCodeExecutor,
  LocalCommandLineCodeExecutor,
} from './packages.ts'

const executors = [
  DockerCommandLineCodeExecutor,
  JupyterCodeExecutor,
  KubernetesCommandLineCodeExecutor,
  LocalCommandLineCodeExecutor,
]

it.each(executors)('%o refuses variables that a program would not get unchanged', (Executor) => {
  for (const env of [{ 'A=B': '' }, { '': '' }, { 'I.J': '' }, { A: 'a\0' }, { A: 'a\ud83d' }])
    expect(() => new Executor({ env }), JSON.stringify(env)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
})
