import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'
import { localExecutorOptionsSchema } from '../src/options.ts'

describe('options', () => {
  it('of a wrong kind are refused at the door', ({ everyRow }) =>
    everyRow<[string, object, string]>(
      [
        ['a word that is no option', { timeout: 5 }, 'timeout'],
        ['a time limit of nothing', { timeoutMs: 0 }, 'timeoutMs'],
        ['a time limit in words', { timeoutMs: '5 s' }, 'timeoutMs'],
        ['a time limit that no timer can wait for', { timeoutMs: 2 ** 31 }, 'timeoutMs'],
        ['an isolation that does not exist', { isolation: 'docker' }, 'isolation'],
        ['a variable that is no text', { env: { DEBUG: 1 } }, 'env.DEBUG'],
        ['an empty secret', { redact: [''] }, 'redact.0'],
        ['an empty working directory', { workDir: '' }, 'workDir'],
      ],
      (_, options, option) => {
        expect(() => new LocalCommandLineCodeExecutor(options)).toThrow(
          expect.objectContaining({ code: 'INVALID_OPTIONS', data: expect.objectContaining({ option }) }),
        )
      },
    ))

  it('have a schema that fills in the defaults', () => {
    expect(localExecutorOptionsSchema.parse({})).toMatchObject({
      timeoutMs: 60_000,
      maxOutputBytes: 1_048_576,
      inheritEnv: false,
    })
  })

  it('`workDir` is resolved when the executor is made', () => {
    expect(new LocalCommandLineCodeExecutor({ workDir: 'some/where' }).workDir).toBe(resolve('some/where'))
  })
})
