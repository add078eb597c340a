import type { CodeExecutor, CodeResult } from '@fenced/core'
import type { AnswerScreen } from './answer-screen.ts'
import type { Answer } from './read-answer.ts'

/** Runs the blocks of an answer and shows what happens while it happens. */
export async function runAnswer(
  { blocks }: Answer,
  { executor, screen, signal }: { executor: CodeExecutor; screen: AnswerScreen; signal: AbortSignal },
): Promise<CodeResult> {
  const execution = executor.execute(blocks, { signal })
  for await (const event of execution) {
    switch (event.type) {
      case 'block-start':
        screen.blockStart(event.index, blocks.length, event.block)
        break
      case 'stdout':
      case 'stderr':
        screen.output(event.type, event.text)
        await screen.drained(signal)
        break
      case 'result':
        screen.result(event.result)
        await screen.drained(signal)
        break
      case 'notice':
        screen.notice(event.notice.message)
        break
      case 'block-end':
        screen.blockEnd(event.result)
        break
    }
  }
  return execution
}
