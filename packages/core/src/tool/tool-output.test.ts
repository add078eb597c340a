import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedText } from './bounded-text.ts'
import {
  refusedToolOutput,
  runningToolOutput,
  type ToolOutput,
  toolModelOutput,
  toolOutputText,
} from './tool-output.ts'

const plain: ToolOutput = {
  status: 'ok',
  success: true,
  exitCode: 0,
  output: '42\n',
  droppedBytes: 0,
  files: [],
  notices: [],
}

test('what went well is what was printed', () => {
  expect(toolOutputText(plain)).toBe('42')
  expect(toolOutputText({ ...plain, output: '' })).toBe('(Nothing was printed.)')
})

test('what a terminal would interpret is left out of the text, and kept in the output', () => {
  const output = { ...plain, output: '\x1b[31mred\x1b[0m\n50%\x1b[K\r100%\n' }
  expect(toolOutputText(output)).toBe('red\n100%')
  expect(toolModelOutput(output)).toEqual({ type: 'text', value: 'red\n100%' })
})

test('what failed says how', () => {
  const output = {
    ...plain,
    status: 'error' as const,
    success: false,
    exitCode: 3,
    output: 'Traceback\nValueError: bad\n',
  }
  expect(toolOutputText(output)).toBe('Traceback\nValueError: bad\n\nExit code: 3 (error)')
})

test('what was lost is said also where all went well, once, and nothing else is', () => {
  const lost = { code: 'work-dir-recreated', message: 'The directory was empty.' }
  const foreign = { code: 'of-a-third-party', message: 'Something else.' }
  const harmless = { code: 'state-kept', message: 'All is there.' }
  expect(toolOutputText({ ...plain, notices: [lost, harmless, foreign, lost] })).toBe(
    `42\n\n${lost.message}\n${foreign.message}`,
  )
  const failed = { ...plain, status: 'error' as const, success: false, exitCode: 1 }
  expect(toolOutputText({ ...failed, output: `${lost.message}\n`, notices: [lost] })).toBe(
    `${lost.message}\n\nExit code: 1 (error)`,
  )
})

test('many losses are bounded', () => {
  const notices = Array.from({ length: 1_000 }, (_, number) => ({
    code: 'late-output',
    message: `The cell ${number} wrote late.`,
  }))
  expect(toolOutputText({ ...plain, notices }).length).toBeLessThan(4_200)
})

test('files are named', () => {
  const file = (path: string) => ({
    path,
    absolutePath: `/secret/${path}`,
    sizeBytes: 12,
    change: 'created' as const,
  })
  expect(toolOutputText({ ...plain, files: [file('a.png'), file('data/b.csv')] })).toBe(
    '42\n\nFiles in the working directory:\n- a.png (created, 12 bytes)\n- data/b.csv (created, 12 bytes)',
  )
  const many = Array.from({ length: 60 }, (_, number) => file(`${number}.txt`))
  expect(toolOutputText({ ...plain, files: many })).toMatch(/- 49\.txt \(created, 12 bytes\)\n- and 10 more$/)
})

test('what is long is cut, and that is said', () => {
  const text = toolOutputText({ ...plain, output: 'x'.repeat(10_000_000), droppedBytes: 7 })
  expect(text.length).toBeLessThan(16_200)
  expect(text).toContain(
    '[... 9984000 of 10000000 characters left out, and 7 bytes that were left out before ...]',
  )
  expect(toolOutputText({ ...plain, output: 'abcdef' }, { maxLength: 2 })).toMatch(/^a\n.*\nf$/)
})

test('what was refused says why', () => {
  const refused = refusedToolOutput({ status: 'denied', exitCode: 126, message: 'Not this one.' })
  expect(toolOutputText(refused)).toBe('Not this one.\n\nExit code: 126 (denied)')
  expect(refused).toMatchObject({ success: false, error: 'Not this one.' })
})

const gap = /\n\[\.\.\. (\d+) of (\d+) characters left out \.\.\.\]\n/

test.each<[text: string, maxLength: number, bounded: string]>([
  ['', 0, ''],
  ['abc', 3, 'abc'],
  ['abcdef', 3, 'ab\n[... 3 of 6 characters left out ...]\nf'],
  ['abcdef', 0, '\n[... 6 of 6 characters left out ...]\n'],
])('%j within %i is %j', (text, maxLength, bounded) => {
  expect(boundedText(text, { maxLength })).toBe(bounded)
})

test.each([
  ['a progress bar', '\r10%\r50%\r100%\ndone\n', '100%\ndone\n'],
  ['endings of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['a state at the end', 'a\n1\r2\r', 'a\n2'],
])('of a line that was printed again the last state is shown: %s', (_, text, shown) => {
  expect(boundedText(text, { maxLength: 1000 })).toBe(shown)
})

test('what was left out before is said', () => {
  expect(boundedText('abcdef', { maxLength: 2, bytesLeftOut: 10 })).toBe(
    'a\n[... 4 of 6 characters left out, and 10 bytes that were left out before ...]\nf',
  )
})

test('it is a beginning and an end, whole characters, and the count is right', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.nat(60), (text, maxLength) => {
      const [head = '', leftOut, all, tail = ''] = boundedText(text, { maxLength }).split(gap)
      if (text.length <= maxLength) return head === text && leftOut === undefined
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
      expect(head.length + tail.length).toBeLessThanOrEqual(maxLength + 1)
      expect([leftOut, all].map(Number)).toEqual([text.length - head.length - tail.length, text.length])
      return true
    }),
  )
})

test('a call that was stopped says that its output is not all', () => {
  const text = toolOutputText(runningToolOutput({ output: '1\n2\n' }))
  expect(text).toBe('1\n2\n\nThe call was stopped before the program ended. This is its output so far.')
})
