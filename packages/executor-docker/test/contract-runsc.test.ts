import { readdirSync } from 'node:fs'
import { describeExecutor } from '@fenced/contract'
import { rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { runsc } from './requirements.ts'

// Debian's gVisor knows no limits on this kind of engine, so none is promised.
const options = { image: 'fenced-test/python', runtime: 'runsc', memoryBytes: false, pids: false } as const

const rows = rowTags({ nightly: [{ in: 'docker, gVisor: ', except: [': results'] }] })

describe.skipIf(runsc.missing)('the contract in gVisor', rows, () => {
  describeExecutor(
    { describe: describe.concurrent, it },
    {
      name: 'docker, gVisor',
      create: (given) => new DockerCommandLineCodeExecutor({ ...given, ...options }),
      missingLanguages: ['javascript', 'typescript'],
      faultLanguages: ['python'],
      except: {
        'a flood is cut to its beginning and its end, and the rest is counted':
          'gVisor writes a part of a large piece, and Python without a buffer of its own forgets the rest',
      },
    },
  )

  it('is said in every result', async () => {
    await using executor = new DockerCommandLineCodeExecutor(options)
    const { isolation, output } = await executor.execute([{ language: 'sh', code: 'cat /proc/version' }])
    expect(isolation).toMatchObject({ kind: 'container', particulars: { runtime: 'runsc' } })
    expect(output).toContain('4.4.0')
  })

  it('refuses a session with the reason, and runs nothing', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ ...options, stateful: true })
    for (const [language, code] of [
      ['python', 'x = 41'],
      ['sh', 'touch made'],
    ] as const) {
      await expect(executor.execute([{ language, code }])).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        data: { option: 'stateful', reason: expect.stringContaining('gVisor') },
      })
    }
    expect(readdirSync(executor.workDir)).toEqual([])
  })
})
