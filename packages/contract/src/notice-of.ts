import assert from 'node:assert/strict'
import type { CodeResult, Notice } from '@fenced/core'

/**
 * The notice with a code of the last block of a run. It asserts that there is one, and that a model reads it in the output, without the
 * advice for the person who created the executor.
 */
export function noticeOf({ blocks, output }: CodeResult, code: Notice['code']): Notice {
  const notices = blocks.at(-1)?.notices ?? []
  const notice = notices.find((each) => each.code === code)
  assert.ok(notice !== undefined, `There is no notice \`${code}\`: ${JSON.stringify(notices)}`)
  const { advice } = notice.data ?? {}
  const message = advice === undefined ? notice.message : notice.message.replace(` ${advice}`, '')
  assert.ok(output.includes(message), `The output does not have the message of \`${code}\`: ${output}`)
  return notice
}
