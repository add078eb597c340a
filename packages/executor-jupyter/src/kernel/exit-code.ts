import type { KernelMessage } from '../protocol/message.ts'

/** The exit code that a kernel's reply to a cell amounts to. */
export function exitCodeOfReply({ content }: KernelMessage): number {
  if (content.status === 'ok') return 0
  const { ename, evalue } = content
  const value = String(evalue ?? '')
  if (ename === 'SystemExit') return exitCodeOfValue(value)
  // Kernels of shells have no names for errors, and the command's exit code for a value.
  return ename === '' && /^\d+$/.test(value) ? Number(value) & 0xff || 1 : 1
}

/** What `sys.exit` says beside the exit code: it is Python's habit to print a text and to fail. */
export function exitText(value: unknown): string {
  return typeof value === 'string' && value !== '' && !isExitValue(value) ? `${value}\n` : ''
}

/** As Python ends a program: nothing is a success, a number is itself, a text is a failure. */
function exitCodeOfValue(value: string): number {
  if (['', 'None', 'False'].includes(value)) return 0
  return isExitValue(value) ? Number(value === 'True' ? 1 : value) & 0xff : 1
}

function isExitValue(value: string): boolean {
  return ['None', 'True', 'False'].includes(value) || /^-?\d+$/.test(value)
}
