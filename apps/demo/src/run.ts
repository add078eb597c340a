import { prepareAnswer } from './answer/prepare-answer.ts'
import type { Command } from './command.ts'
import type { Arguments } from './command-line/arguments.ts'
import { conversation } from './conversation/conversation.ts'
import { createExecutor } from './executor/create-executor.ts'
import { executorFacts } from './executor/executor-facts.ts'
import { startExecutor } from './executor/start-executor.ts'
import { workDirectory } from './executor/work-directory.ts'
import { repairing } from './repair/repair.ts'
import { failed } from './report-error.ts'
import { prepareScenario } from './scenario/prepare-scenario.ts'
import { listenForStop } from './stop-signals.ts'

/** Lets agents work, or runs an answer, and returns the exit code: 0 only when it ended well. */
export async function run({ timeoutMs, workDir, choice, ...given }: Arguments): Promise<number> {
  // Until there is something to stop, Ctrl-C ends this process as it ends any other.
  const command = await prepare(given)
  using stop = listenForStop(process.stdout)
  await using directory = await workDirectory(workDir)
  await using executor = await createExecutor(choice, { timeoutMs, workDir: directory.path })
  // An executor that is not available is reported before a plan that it could not keep.
  await startExecutor(executor, stop.signal)
  const facts = executorFacts(choice, executor, timeoutMs)
  const endedWell = await command({ executor, facts, stop })
  return stop.exitCode ?? (endedWell ? 0 : failed)
}

function prepare({
  answer,
  command,
  ...given
}: Omit<Arguments, 'timeoutMs' | 'workDir' | 'choice'>): Command | Promise<Command> {
  if (answer !== undefined) return prepareAnswer(answer, given.approve)
  return prepareScenario(command === 'repair' ? repairing : conversation, given)
}
