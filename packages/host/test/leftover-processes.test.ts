import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { endLeftoverProcesses } from '@fenced/host'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { expect, it } from 'vitest'

/** A process that has ended, as its programs name it. */
function endedOwner(): string {
  const code = `import { formatOwner, thisOwner } from '@fenced/shared'; console.log(formatOwner(thisOwner()))`
  const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', code]
  return execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
}

it.skipIf(process.platform !== 'linux')(
  'what a program of an ended host has started ends with it, also without its mark',
  async () => {
    const seconds = `${uniqueSeconds()}`
    const left = spawn('/bin/sh', ['-c', `env -i setsid sleep ${seconds} & echo started; sleep ${seconds}`], {
      env: { PATH: process.env.PATH, FENCED_RUN_ID: `${randomUUID()}@${endedOwner()}` },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise((resolve) => left.stdout.once('data', resolve))
    await endLeftoverProcesses()
    expect(await processesLeft(seconds)).toEqual([])
  },
)
