import { describe, expect, it } from 'vitest'
import { PacedNotices } from '../paced-notices.ts'
import { BuildReport } from './build-report.ts'

function newReport(): { report: BuildReport; told: string[] } {
  const told: string[] = []
  const notice = ({ message }: { message: string }) => told.push(message)
  const report = new BuildReport(new PacedNotices({ signal: new AbortController().signal, notice }, 'build'))
  return { report, told }
}

describe('BuildReport', () => {
  it('understands the classic builder', () => {
    const { report, told } = newReport()
    for (const stream of [
      'Step 1/2 : FROM a\n',
      ' ---> 0123456789ab\n',
      'Step 2/2 : RUN x\n ---> Running in 0123456789ab\n',
      'half a ',
      'line\r\n',
      '10%\r50%\r100%\n',
      '\u001b[91mred\u001b[0m',
    ]) {
      report.take({ stream })
    }
    report.take({ aux: { ID: 'sha256:1' } })
    expect(told).toEqual(['Building: [1/2] FROM a', 'Building: [2/2] RUN x'])
    expect(report).toMatchObject({ imageId: 'sha256:1', step: '[2/2] RUN x', error: undefined })
    expect(report.lastLines).toBe('half a line\n100%\nred')
  })

  it('understands Podman', () => {
    const { report, told } = newReport()
    for (const stream of [
      'STEP 1/1: FROM a\n',
      'COMMIT b\n',
      '--> 0123456789a\n',
      'Successfully tagged b\n',
    ]) {
      report.take({ stream })
    }
    expect(told).toEqual(['Building: [1/1] FROM a'])
    expect(report.lastLines).toBe('COMMIT b')
  })

  it.each([
    [
      'the classic builder',
      [
        'Step 1/3 : FROM a\n ---> 000000000000\n',
        'Step 2/3 : RUN x\n',
        ' ---> Using cache\n',
        ' ---> 111111111111\n',
        'Step 3/3 : RUN y\n ---> Running in 222222222222\n ---> 333333333333\n',
      ],
      '111111111111',
    ],
    [
      'Podman',
      [
        'STEP 1/3: FROM a\n',
        'STEP 2/3: RUN x\n',
        '--> Using cache 1111111111111111\n--> 111111111111\n',
        'STEP 3/3: RUN y\n--> 333333333333\n',
      ],
      '1111111111111111',
    ],
  ])('knows what %s did not make', (_, output, id) => {
    const { report } = newReport()
    for (const stream of output) report.take({ stream })
    expect([...report.reused]).toEqual([id])
  })

  it('keeps the end of a long output', () => {
    const { report } = newReport()
    for (let line = 0; line < 1_000; line++) report.take({ stream: `${line}\n` })
    expect(report.lastLines.split('\n')).toEqual(Array.from({ length: 40 }, (_, index) => `${960 + index}`))
  })

  it('remembers why it failed', () => {
    const { report } = newReport()
    report.take({ error: 'no such thing' })
    expect(report.error).toBe('no such thing')
  })
})
