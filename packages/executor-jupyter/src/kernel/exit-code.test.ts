import { describe, expect, test } from 'vitest'
import { newRequest } from '../protocol/message.ts'
import { exitCodeOfReply, exitText } from './exit-code.ts'

function reply(content: Record<string, unknown>) {
  return newRequest('session', { channel: 'shell', type: 'execute_reply', content })
}

describe('the exit code of a reply', () => {
  test('follows the status and the error', ({ everyRow }) =>
    everyRow(
      [
        ['a cell that worked', { status: 'ok' }, 0],
        ['an error', { status: 'error', ename: 'ValueError', evalue: '3' }, 1],
        ['an interrupted cell', { status: 'aborted' }, 1],
        ['a kernel that says nothing', {}, 1],
        ['sys.exit()', { status: 'error', ename: 'SystemExit', evalue: '' }, 0],
        ['sys.exit(None)', { status: 'error', ename: 'SystemExit', evalue: 'None' }, 0],
        ['sys.exit(0)', { status: 'error', ename: 'SystemExit', evalue: '0' }, 0],
        ['sys.exit(3)', { status: 'error', ename: 'SystemExit', evalue: '3' }, 3],
        ['sys.exit(256 + 3)', { status: 'error', ename: 'SystemExit', evalue: '259' }, 3],
        ['sys.exit(-1)', { status: 'error', ename: 'SystemExit', evalue: '-1' }, 255],
        ['sys.exit(True)', { status: 'error', ename: 'SystemExit', evalue: 'True' }, 1],
        ['sys.exit(False)', { status: 'error', ename: 'SystemExit', evalue: 'False' }, 0],
        ['sys.exit("no file")', { status: 'error', ename: 'SystemExit', evalue: 'no file' }, 1],
        ['a command of bash_kernel', { status: 'error', ename: '', evalue: '127' }, 127],
        ['a command that failed with nothing', { status: 'error', ename: '', evalue: '0' }, 1],
        ['a kernel without names', { status: 'error', ename: '', evalue: 'oops' }, 1],
      ] as const,
      (_, content, exitCode) => {
        expect(exitCodeOfReply(reply(content))).toBe(exitCode)
      },
    ))
})

test('sys.exit prints a text, and neither a number nor nothing', () => {
  expect(exitText('no file')).toBe('no file\n')
  for (const value of ['', 'None', 'True', 'False', '0', '-1', '300', undefined, 7])
    expect(exitText(value)).toBe('')
})
