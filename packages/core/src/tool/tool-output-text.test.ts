import { expect, test } from 'vitest'
import { refusedToolOutput, type ToolOutput } from './tool-output.ts'
import { toolOutputText } from './tool-output-text.ts'

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
