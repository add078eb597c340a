import { expect, it } from 'vitest'
import { DockerSandbox } from './docker-sandbox.ts'

it.each(['directory', 'work_dir', 'workingDirectory'])('a sandbox suggests `workDir` for %s', (option) => {
  expect(() => new DockerSandbox({ [option]: '/data' } as object)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option, suggestion: 'workDir' } }),
  )
})
