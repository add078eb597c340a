import type { TaskItem } from '@fenced/agents'
import { fileNotices } from '../terminal/file-notices.ts'

/** What happens in a task, with a notice for every file that a program has made. */
export async function* withFilesMade(
  items: AsyncIterable<TaskItem>,
  terminal: NodeJS.WriteStream,
): AsyncGenerator<TaskItem> {
  for await (const item of items) {
    yield item
    if (item.type !== 'CodeExecutionEvent') continue
    for await (const notice of fileNotices(item.result.files, terminal)) {
      const { source, createdAt } = item
      yield { type: 'NoticeEvent', id: crypto.randomUUID(), createdAt, source, notice }
    }
  }
}
