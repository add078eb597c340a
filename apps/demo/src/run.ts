import { prepareAnswer } from './answer/prepare-answer.ts'
import type { Command } from './command.ts'
import type { Arguments } from './command-line/arguments.ts'
import { conversation } from './conversation/conversation.ts'
import { createExecutor } from './place/place.ts'
import { placeFacts } from './place/place-words.ts'
import { startPlace } from './place/start-place.ts'
import { workDirectory } from './place/work-directory.ts'
import { repairing } from './repair/repair.ts'
import { failed } from './report-error.ts'
import { prepareScenario } from './scenario/prepare-scenario.ts'
import { listenForStop } from './stop-signals.ts'

/** Lets agents work, or runs an answer, and returns the exit code: 0 only when it ended well. */
export async function run({ timeoutMs, workDir, place, ...given }: Arguments): Promise<number> {
  // Until there is something to stop, Ctrl-C ends this process as it ends any other.
  const command = await prepare(given)
  using stop = listenForStop(process.stdout)
  await using directory = await workDirectory(workDir)
  await using executor = await createExecutor(place, { timeoutMs, workDir: directory.path })
  // A place that cannot be had is said before a plan that it could not keep.
  await startPlace(executor, stop.signal)
  const facts = placeFacts(place, executor, timeoutMs)
  const endedWell = await command({ executor, facts, stop })
  return stop.exitCode ?? (endedWell ? 0 : failed)
}

function prepare({
  answer,
  command,
  ...given
}: Omit<Arguments, 'timeoutMs' | 'workDir' | 'place'>): Command | Promise<Command> {
  if (answer !== undefined) return prepareAnswer(answer, given.approve)
  return prepareScenario(command === 'repair' ? repairing : conversation, given)
}
