import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'
import type { ConversationEvent, LoggedCodeEvent } from '../event.ts'
import { asNotebook } from './notebook.ts'

const document = [
  '# Sums',
  '```python\nprint(1)\n1 / 0\n```',
  'Then data:',
  '```json\n{"a": 1}\n```',
  '```sh\necho shell\n```',
  '~~~py\nprint("not run")\n~~~',
  '```r\n1 + 1\n```',
  'Empty:\n```python\n\n```\n```python\n```',
  'The end.',
].join('\n')

const ofRun = (event: LoggedCodeEvent): ConversationEvent => ({ type: 'code', runId: 'r', event })

function notebookOf(...events: ConversationEvent[]) {
  return asNotebook(events.map((event, seq) => ({ seq, createdAt: '', event })))
}

function endOf(index: number, status: 'ok' | 'error'): ConversationEvent {
  const exitCode = status === 'ok' ? 0 : 1
  return ofRun({ type: 'block-end', index, status, exitCode, durationMs: 1, notices: [] })
}

const traceback =
  'Traceback (most recent call last):\n  File "a.py", line 2\nZeroDivisionError: division by zero\n'

const [failing, , shell, , other] = extractCodeBlocks(document)

const cell = (source: string, outputs: object[] = []) => ({
  ...{ id: expect.any(String), cell_type: 'code', metadata: {}, execution_count: null, source, outputs },
})
const markdown = (source: string) => ({ id: expect.any(String), cell_type: 'markdown', metadata: {}, source })

it('a document is a notebook with all that is in it, and what ran has its outputs', () => {
  if (failing === undefined || shell === undefined || other === undefined) throw new Error('No blocks.')
  const { cells } = notebookOf(
    { type: 'document', documentId: 'd', name: 'sums.md', content: document },
    { type: 'code-start', runId: 'r', of: 'd', blocks: [failing, shell, other] },
    ofRun({ type: 'block-start', index: 0, block: failing }),
    ofRun({ type: 'stdout', index: 0, text: '1\n' }),
    ofRun({ type: 'stderr', index: 0, text: `warning\n${traceback}` }),
    endOf(0, 'error'),
    ofRun({ type: 'block-start', index: 1, block: shell }),
    ofRun({ type: 'result', index: 1, result: { 'text/plain': 'a' }, displayId: 'x' }),
    ofRun({ type: 'result', index: 1, result: { 'text/plain': 'b' }, displayId: 'x' }),
    ofRun({ type: 'result', index: 1, result: { 'text/plain': '2' }, executionCount: 4 }),
    endOf(1, 'ok'),
    ofRun({ type: 'block-start', index: 2, block: other }),
    ofRun({ type: 'stdout', index: 2, text: '[1] 2\n' }),
    endOf(2, 'ok'),
    { type: 'code-start', runId: 'r', of: 'd', blocks: [shell], repeats: 'r' },
    ofRun({ type: 'block-start', index: 0, block: shell }),
    endOf(0, 'ok'),
  )
  expect(cells).toEqual([
    markdown('# Sums'),
    cell('print(1)\n1 / 0', [
      { output_type: 'stream', name: 'stdout', text: '1\n' },
      { output_type: 'stream', name: 'stderr', text: 'warning\n' },
      {
        ...{ output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' },
        traceback: traceback.trimEnd().split('\n'),
      },
    ]),
    markdown('Then data:'),
    markdown('```json\n{"a": 1}\n```'),
    cell('%%sh\necho shell', [
      { output_type: 'display_data', data: { 'text/plain': 'b' }, metadata: {} },
      { output_type: 'execute_result', execution_count: 4, data: { 'text/plain': '2' }, metadata: {} },
    ]),
    cell('print("not run")'),
    markdown('```r\n1 + 1\n```\n\n**Run (r): ok, exit code 0**\n\n```text\n[1] 2\n```'),
    markdown('Empty:'),
    cell(''),
    cell(''),
    markdown('The end.'),
    cell('%%sh\necho shell'),
  ])
})

it('a program that the person has changed is the one that ran', () => {
  if (failing === undefined) throw new Error('No block.')
  const { cells } = notebookOf(
    { type: 'answer-start', answerId: 'a', model: 'm' },
    { type: 'text-delta', answerId: 'a', text: '```python\nprint(1)\n' },
    { type: 'text-delta', answerId: 'a', text: '```' },
    { type: 'code-start', runId: 'r', of: 'a', blocks: [] },
    ofRun({ type: 'block-start', index: 0, block: { language: 'python', code: 'print(2)\n', line: 1 } }),
    ofRun({ type: 'stdout', index: 0, text: '2\n' }),
    endOf(0, 'ok'),
  )
  expect(cells).toEqual([cell('print(2)\n', [{ output_type: 'stream', name: 'stdout', text: '2\n' }])])
})

it('a program that was denied or left out is kept, marked, and not run by the notebook', () => {
  const text = '```python\nprint(1)\n```\n```python\nprint(2)\n```'
  const blocks = extractCodeBlocks(text)
  const raw = (source: string) => ({
    ...{ id: expect.any(String), cell_type: 'raw', metadata: { tags: ['not-run'] }, source },
  })
  const start: ConversationEvent[] = [
    { type: 'document', documentId: 'd', name: 'two.md', content: text },
    { type: 'code-start', runId: 'r', of: 'd', blocks },
  ]
  const answered = { type: 'approval-answered', runId: 'r', requestId: 'q', remembered: false } as const
  const denied = notebookOf(...start, { ...answered, answer: { decision: 'deny', reason: 'Not now.' } })
  expect(denied.cells).toEqual([
    markdown('**Not run (python).** Denied: Not now.'),
    raw('print(1)'),
    markdown('**Not run (python).** Denied: Not now.'),
    raw('print(2)'),
  ])
  const second = { language: 'python', code: 'print(2)' }
  const some = notebookOf(
    ...start,
    { ...answered, answer: { decision: 'edit', blocks: [second] } },
    ofRun({ type: 'block-start', index: 0, block: second }),
    ofRun({ type: 'stdout', index: 0, text: '2\n' }),
    endOf(0, 'ok'),
  )
  expect(some.cells).toEqual([
    markdown('**Not run (python).** Left out by the person'),
    raw('print(1)'),
    cell('print(2)', [{ output_type: 'stream', name: 'stdout', text: '2\n' }]),
  ])
})

it('a flood of fences is exported, too', () => {
  const flood = Array.from({ length: 2_000 }, (_, index) => `${'`'.repeat(3 + index)}sh\n`).reverse()
  const exported = (content: string) =>
    notebookOf({ type: 'document', documentId: 'd', name: 'flood.md', content }).cells
  expect(exported(`Before.\n${flood.join('')}`)).toHaveLength(2)
  expect(exported('```a\n'.repeat(500_000))).toHaveLength(1)
  expect(exported('```sh\nls\n```\n'.repeat(20_000))).toHaveLength(20_000)
})
