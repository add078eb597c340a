import { describe, expect, it } from 'vitest'
import { handOver } from './hand-over.ts'

const block = { content: 'ls\n', path: '/work/.fenced-1.sh', hasFileName: false }
const { path } = block

function handOverIn(
  isolation: 'none' | 'sandbox' | 'container',
  change = {},
  command: [string, ...string[]] = ['/bin/sh'],
) {
  const sandbox = { capabilities: { isolation } } as Parameters<typeof handOver>[2]
  return handOver({ ...block, ...change }, command, sandbox)
}

describe('a program', () => {
  it('is an argument of a shell in a sandbox, unless it names its file or is too long', () => {
    const given = { command: ['/bin/sh', '-c', 'ls\n'], path, tookContent: true }
    expect(handOverIn('sandbox')).toEqual(given)
    expect(handOverIn('container')).toEqual(given)
    const longest = `#${'x'.repeat(99_999)}`
    expect(handOverIn('sandbox', { content: longest })).toMatchObject({ tookContent: true })
    const read = { command: ['/bin/sh'], path, tookContent: false }
    expect(handOverIn('sandbox', { content: `${longest}\n` })).toEqual(read)
    expect(handOverIn('sandbox', { content: 'echo \0' })).toEqual(read)
    expect(handOverIn('sandbox', { hasFileName: true })).toEqual(read)
  })

  it('is a file where every user can read the arguments of a process, and for all but shells', () => {
    expect(handOverIn('none')).toEqual({ command: ['/bin/sh'], path, tookContent: false })
    const others: [string, ...string[]][] = [['/usr/bin/node'], ['/bin/sh', '-e'], ['fish'], ['python3']]
    for (const command of others) {
      expect(handOverIn('sandbox', {}, command)).toEqual({ command, path, tookContent: false })
    }
  })
})
