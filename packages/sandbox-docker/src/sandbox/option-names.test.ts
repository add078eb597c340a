import { expect, it } from 'vitest'
import { DockerSandbox } from './docker-sandbox.ts'

it.each(['workDir', 'work_dir', 'workingDirectory'])('a sandbox suggests `directory` for %s', (option) => {
  expect(() => new DockerSandbox({ [option]: '/data' } as object)).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option, suggestion: 'directory' } }),
  )
})
