// @module-tag nightly

import { describeExecutor, describeSandbox } from '@fenced/contract'
import { requirement } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { SshCodeExecutor, sshSandbox } from './ssh-executor.ts'
import { sshServerProblem, startSshServer } from './ssh-server.ts'

const sshd = requirement('sshd', sshServerProblem())
// The suites make executors before the first test begins.
const server = sshd.missing ? undefined : await startSshServer()
const machine = server?.options ?? { destination: 'none' }

describe.skipIf(sshd.missing)('a machine that ssh reaches', () => {
  afterAll(() => server?.[Symbol.dispose]())

  it('runs blocks, and their files come back', async () => {
    await using executor = new SshCodeExecutor({ machine, warm: {} })
    const { output, files } = await executor.execute([
      { language: 'python', code: 'open("made.txt", "w").write("made"); print(6 * 7)' },
      { language: 'sh', code: 'cat made.txt' },
    ])
    expect(output).toBe('42\nmade')
    expect(files).toMatchObject([{ path: 'made.txt' }])
  })

  describe('as a whole', () => {
    describeSandbox(
      { describe, it },
      {
        name: 'ssh',
        create: () => sshSandbox(machine),
        except: {
          'a daemon of a block that also cleared its environment ends with the block':
            'without isolation nothing finds it',
        },
      },
    )

    describeExecutor(
      { describe: describe.concurrent, it },
      {
        name: 'ssh',
        create: (options) => new SshCodeExecutor({ ...options, machine }),
        faultLanguages: ['python'],
        except: {
          'a planted link to /, then # filename: rootlink/tmp/…/evil.py':
            'links are not copied, so the name is free on this machine, and a directory takes the link’s place',
        },
      },
    )
  })
})
