import type { Notice } from '../../vocabulary/code-result.ts'

/** Adds advice for the person who created the executor. A model cannot follow it, so the `output` of a block leaves it out. */
export function withAdvice(notice: Notice, advice: string): Notice {
  return { ...notice, message: `${notice.message} ${advice}`, data: { ...notice.data, advice } }
}

/** Returns the part of a notice's message that a model can follow. */
export function messageForModel({ message, data }: Notice): string {
  const advice = data?.advice
  const end = ` ${advice}`
  return advice !== undefined && message.endsWith(end) ? message.slice(0, -end.length) : message
}
