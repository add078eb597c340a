import type { TaskResult } from '@fenced/agents'

/** Whether the last program ran well, or was not to be run, which is for a person to decide. */
export function endedWell({ status, messages }: TaskResult): boolean {
  const ran = messages.findLast((message) => message.type === 'CodeExecutionEvent')
  const hasModelFailed = messages.some(
    (message) => message.type === 'NoticeEvent' && message.notice.code === 'model-failed',
  )
  if (status !== 'done' || hasModelFailed) return false
  return ran === undefined || ran.result.status === 'ok' || ran.result.status === 'denied'
}
