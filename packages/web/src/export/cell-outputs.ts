import type { ExportedBlock } from './runs.ts'

interface StreamOutput {
  readonly output_type: 'stream'
  readonly name: 'stdout' | 'stderr'
  text: string
}

/** What a program showed and printed, as outputs of a cell (nbformat 4). */
export function cellOutputs({ events, end }: ExportedBlock): object[] {
  const outputs: object[] = []
  const displays = new Map<string, object>()
  for (const event of events) {
    if (event.type === 'result') {
      const content = { data: event.result, metadata: event.metadata ?? {} }
      const shown = displays.get(event.displayId ?? '')
      if (shown !== undefined) Object.assign(shown, content)
      else outputs.push({ ...kindOf(event.executionCount), ...content })
      if (event.displayId !== undefined && shown === undefined)
        displays.set(event.displayId, outputs.at(-1) ?? {})
    }
    if (event.type === 'stdout' || event.type === 'stderr') write(outputs, event.type, event.text)
  }
  if (end?.status === 'error') markError(outputs)
  for (const { message } of end?.notices ?? []) write(outputs, 'stderr', `fenced: ${message}\n`)
  return outputs
}

function kindOf(executionCount: number | undefined): object {
  if (executionCount === undefined) return { output_type: 'display_data' }
  return { output_type: 'execute_result', execution_count: executionCount }
}

function write(outputs: object[], name: 'stdout' | 'stderr', text: string): void {
  const last = outputs.at(-1) as StreamOutput | undefined
  if (last?.output_type === 'stream' && last.name === name) last.text += text
  else outputs.push({ output_type: 'stream', name, text } satisfies StreamOutput)
}

/** The traceback at the end of stderr, of Python or IPython, becomes an output of type `error`. */
function markError(outputs: object[]): void {
  const last = outputs.at(-1) as StreamOutput | undefined
  if (last?.output_type !== 'stream' || last.name !== 'stderr') return
  const start = /^(?:Traceback \(most recent call last\):|-{75})$/m.exec(last.text)?.index
  const text = last.text.trimEnd()
  const [, ename, evalue = ''] = /\n([A-Za-z_][\w.]*)(?:: ([^\n]*))?$/.exec(text) ?? []
  if (start === undefined || ename === undefined) return
  const traceback = text.slice(start).split('\n')
  outputs.pop()
  if (start > 0) outputs.push({ ...last, text: last.text.slice(0, start) })
  outputs.push({ output_type: 'error', ename, evalue, traceback })
}
