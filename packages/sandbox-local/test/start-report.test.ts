import { readdirSync, readlinkSync } from 'node:fs'
import type { ProcessEnd } from '@fenced/core/sandbox'
import type { StartedProcess } from '@fenced/host'
import { describe, expect, it } from 'vitest'
import { StartReport } from '../src/isolation/start-report.ts'

/** What the report makes of the end of a process of which bubblewrap reported nothing. */
async function reported(end: ProcessEnd, program = '/bin/sh') {
  let notBegun = 0
  using report = await StartReport.make(program, () => notBegun++)
  const process = { ended: Promise.resolve(end) } as StartedProcess
  report.watch(process)
  return { end: await process.ended, notBegun }
}

const exited = (exitCode: number, wasStopped = false): ProcessEnd => ({
  kind: 'exited',
  exitCode,
  wasStopped,
})

describe.runIf(process.platform === 'linux')('a process of which bubblewrap reported nothing', () => {
  it('has its own end where it succeeded, was stopped or killed, or is lost', ({ everyRow }) =>
    everyRow<[end: ProcessEnd]>(
      [
        [exited(0)],
        [exited(1, true)],
        [exited(128)],
        [exited(137)],
        [{ kind: 'lost', message: 'It is lost.' } as ProcessEnd],
      ],
      async (end) => expect(await reported(end)).toEqual({ end, notBegun: 0 }),
    ))

  it('has not started with another exit code', async () => {
    expect(await reported(exited(127))).toMatchObject({
      end: { kind: 'not-started', reason: 'not-executable' },
      notBegun: 1,
    })
  })

  it('has not started where there is no such program, which is not the fault of the sandbox', async () => {
    const end = { kind: 'not-started', reason: 'not-found', data: { program: '/no/such/program' } }
    expect(await reported(exited(127), '/no/such/program')).toMatchObject({ end, notBegun: 0 })
    expect(await reported(exited(2), '/no/such/program')).toMatchObject({
      end: { reason: 'not-executable' },
      notBegun: 1,
    })
  })

  it('leaves no descriptor open', async () => {
    const report = await StartReport.make('/bin/sh', () => {})
    const pipe = readlinkSync(`/proc/self/fd/${report.descriptor}`)
    const openCount = () =>
      readdirSync('/proc/self/fd').filter((name) => targetOf(`/proc/self/fd/${name}`) === pipe).length
    expect(openCount()).toBe(2)
    const process = { ended: Promise.resolve(exited(0)) } as StartedProcess
    report.watch(process)
    await process.ended
    report[Symbol.dispose]()
    expect(openCount()).toBe(0)
  })
})

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    // It was closed.
    return undefined
  }
}
