import type { ExecutionEvent, MimeBundle } from '@fenced/core'

interface ProgramOutput {
  readonly margin: string
  readonly text: string
  /** Whether it takes separate lines, apart from the streams. */
  readonly isWhole: boolean
}

/** What is shown of an executor's event; `undefined` for most of them. */
export function programOutput(event: ExecutionEvent): ProgramOutput | undefined {
  switch (event.type) {
    case 'stdout':
      return { margin: '> ', text: event.text, isWhole: false }
    case 'stderr':
      return { margin: '! ', text: event.text, isWhole: false }
    case 'result':
      return whole('> ', textOf(event.result))
    case 'notice':
      return whole('- ', event.notice.message)
    default:
      return undefined
  }
}

function whole(margin: string, text: string): ProgramOutput | undefined {
  return text === '' ? undefined : { margin, text, isWhole: true }
}

/** A table's or a value's text; a picture is named in what the agent says. */
function textOf({ 'text/plain': plain, 'text/markdown': markdown }: MimeBundle): string {
  return [plain, markdown].find((text) => typeof text === 'string') ?? ''
}
