import type { Activity } from '../activity.ts'
import { AnswerScreen } from './answer-screen.ts'
import { readAnswer } from './read-answer.ts'
import { runAnswer } from './run-answer.ts'

/** Reads an answer; then its blocks can be run. */
export async function prepareAnswer(file: string): Promise<Activity> {
  const answer = await readAnswer(file)
  return async ({ executor, facts, stop: { signal } }) => {
    const screen = new AnswerScreen(process.stdout)
    screen.plan(answer, facts)
    const result = await runAnswer(answer, { executor, screen, signal })
    screen.summary(result, answer.blocks, executor.workDir)
    return result.status === 'ok'
  }
}
