import { expect, test } from 'vitest'
import { newRequest } from '../protocol/message.ts'
import { CellOutput } from './cell-output.ts'

/** What a block's `io` is told, in order. */
function recorded() {
  const told: unknown[] = []
  const output = new CellOutput({
    write: (stream, chunk) => void told.push(`${stream}: ${Buffer.from(chunk)}`),
    result: (bundle, options) => void told.push({ bundle, ...options }),
    clear: () => void told.push('clear'),
    ended: () => void told.push('ended'),
    notice: ({ code }) => void told.push(`notice: ${code}`),
  })
  const take = (type: string, content: Record<string, unknown>) =>
    output.take(newRequest('session', { channel: 'shell', type, content }))
  return { told, output, take }
}

test('streams are written as they come, and nothing is written for nothing', () => {
  const { told, take } = recorded()
  take('stream', { name: 'stdout', text: 'one' })
  take('stream', { name: 'stderr', text: 'two' })
  take('stream', { name: 'stdout', text: '' })
  take('stream', { name: 'stdout' })
  expect(told).toEqual(['stdout: one', 'stderr: two'])
})

test('displays are results, with the name under which they are replaced', () => {
  const { told, take } = recorded()
  const data = { 'text/plain': '1' }
  take('execute_result', { data, execution_count: 7 })
  take('display_data', { data, transient: {} })
  take('display_data', { data, transient: { display_id: 'a' } })
  take('update_display_data', { data, transient: { display_id: 'a' } })
  expect(told).toEqual([
    { bundle: data, executionCount: 7 },
    { bundle: data },
    { bundle: data, displayId: 'a' },
    { bundle: data, displayId: 'a', isUpdate: true },
  ])
})

test('a display has its metadata, where there is any', () => {
  const { told, take } = recorded()
  const data = { 'image/png': '' }
  const metadata = { 'image/png': { width: 10 } }
  take('display_data', { data, metadata })
  take('update_display_data', { data, metadata, transient: { display_id: 'a' } })
  take('display_data', { data, metadata: {} })
  expect(told).toEqual([
    { bundle: data, metadata },
    { bundle: data, metadata, displayId: 'a', isUpdate: true },
    { bundle: data },
  ])
})

test('each display of one name is a result, and an update replaces the last of them', () => {
  const { told, take } = recorded()
  const show = (type: string, id: string, value: string) =>
    take(type, { data: { 'text/plain': value }, transient: { display_id: id } })
  show('display_data', 'a', '1')
  show('display_data', 'a', '2')
  show('update_display_data', 'a', '3')
  const names = () => told.splice(0).map((each) => (each as { displayId: string }).displayId)
  const [first, second, ...updated] = names()
  expect(first).not.toBe(second)
  expect(updated).toEqual([first, second])
  for (let count = 0; count < 50; count++) show('display_data', 'a', `${count}`)
  expect(new Set(names()).size).toBe(50)
  show('update_display_data', 'a', '4')
  expect(names()).toHaveLength(16)
  take('clear_output', { wait: false })
  expect(told.splice(0)).toEqual(['clear'])
  show('update_display_data', 'a', '5')
  expect(names()).toHaveLength(1)
})

test('more ids than are told apart in a cell are one display each', () => {
  const { told, take } = recorded()
  const show = (id: string) => take('display_data', { data: {}, transient: { display_id: id } })
  for (let count = 0; count < 10_000; count++) show(`${count}`)
  show('0')
  show('later')
  show('later')
  show('x'.repeat(1_001))
  show('x'.repeat(1_001))
  const last = told.slice(10_000).map((each) => (each as { displayId: string }).displayId.slice(0, 9))
  expect(last).toEqual(['0\u00002', 'later', 'later', 'xxxxxxxxx', 'xxxxxxxxx'])
})

test('clearing is done at once, or before what comes next', () => {
  const { told, take } = recorded()
  take('clear_output', { wait: false })
  take('clear_output', { wait: true })
  take('stream', { name: 'stdout', text: 'new' })
  take('clear_output', { wait: true })
  take('display_data', { data: {} })
  take('stream', { name: 'stdout', text: 'more' })
  expect(told).toEqual(['clear', 'clear', 'stdout: new', 'clear', { bundle: {} }, 'stdout: more'])
})

test('an update does not count as what comes next', () => {
  const { told, take } = recorded()
  const named = { data: {}, transient: { display_id: 'a' } }
  take('display_data', named)
  take('clear_output', { wait: true })
  take('update_display_data', named)
  take('stream', { name: 'stdout', text: 'new' })
  const shown = { bundle: {}, displayId: 'a' }
  expect(told).toEqual([shown, { ...shown, isUpdate: true }, 'clear', 'stdout: new'])
})

test('an error is its traceback without colours', () => {
  const { told, take } = recorded()
  const traceback = ['\u001b[31mTraceback\u001b[39m', '\u001b[31mValueError\u001b[0m: no']
  take('error', { ename: 'ValueError', evalue: 'no', traceback })
  expect(told).toEqual(['stderr: Traceback\nValueError: no\n'])
})

test('an error without a traceback is its name and its text, as far as there are any', () => {
  const { told, take } = recorded()
  take('error', { ename: 'ValueError', evalue: 'no', traceback: [] })
  take('error', { ename: '', evalue: '3', traceback: [] })
  take('error', { ename: '', evalue: '' })
  expect(told).toEqual(['stderr: ValueError: no\n', 'stderr: 3\n'])
})

test('sys.exit says only what it was given', () => {
  const { told, take } = recorded()
  const traceback = ['An exception has occurred, use %tb to see the full traceback.', 'SystemExit: no file']
  take('error', { ename: 'SystemExit', evalue: 'no file', traceback })
  take('error', { ename: 'SystemExit', evalue: '3', traceback })
  expect(told).toEqual(['stderr: no file\n'])
})

test('what a pager shows is written without colours', () => {
  const { told, output } = recorded()
  output.payload([
    { source: 'page', data: { 'text/plain': '\u001b[31mDocstring:\u001b[39m help' } },
    { source: 'ask_exit', keepkernel: false },
    {},
  ])
  output.payload(undefined)
  expect(told).toEqual(['stdout: Docstring: help'])
})

test('what `%load`, `%recall` and `%edit` hand to their client is written', () => {
  const { told, output } = recorded()
  output.payload([
    { source: 'set_next_input', text: '# %load a.py\nx = 1', replace: true },
    { source: 'edit_magic', filename: '/tmp/a.py', line_number: 0 },
  ])
  expect(told).toEqual(['stdout: # %load a.py\nx = 1\n', 'stdout: /tmp/a.py\n'])
})

test('output that the server dropped is told', () => {
  const { told, take } = recorded()
  take('stream', { name: 'stderr', text: 'IOPub data rate exceeded.\nThe Jupyter server will …' })
  expect(told.at(-1)).toBe('notice: output-dropped-by-server')
})

test('what is not known is ignored', () => {
  const { told, take } = recorded()
  take('comm_open', { comm_id: '1', data: {} })
  take('execute_input', { code: '1' })
  expect(told).toEqual([])
})
