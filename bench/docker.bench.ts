import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import type { Bench } from './arguments.ts'
import { AutoGen } from './autogen.ts'
import { blockRows, type Places } from './docker/block.ts'
import { needImage, runDetached } from './docker/command-line.ts'
import { memoryRows } from './docker/memory.ts'
import { byteCount, outputFile, outputRows } from './docker/output.ts'
import { startRows } from './docker/start.ts'
import { logLines } from './log-lines.ts'
import { scratchDirectory } from './scratch-directory.ts'

/** A container's start, a short block and much output, beside the docker command and AutoGen's executor. */
export const dockerBench: Bench = async ({ rounds, image, autogen: python }) => {
  await needImage(image)
  if (python === undefined) console.error('Without AutoGen; --autogen names a Python that has it.')
  await using scratch = await scratchDirectory()
  const workDir = scratch.path
  await writeFile(join(workDir, outputFile), logLines(byteCount))
  await using stack = new AsyncDisposableStack()
  const autogen =
    python === undefined
      ? undefined
      : stack.use(
          await AutoGen.open(python, new URL('./docker/autogen.py', import.meta.url), [image, workDir]),
        )

  const starts = await startRows({ rounds: rounds ?? 15, image, autogen })
  const places: Places = {
    executor: stack.use(new DockerCommandLineCodeExecutor({ image, workDir })),
    container: stack.use(await runDetached(image, workDir)),
    autogen,
  }
  await places.executor.start()
  if (autogen !== undefined) stack.use(await autogen.start())
  return [
    ...starts,
    ...(await blockRows(places, { rounds: rounds ?? 50 })),
    ...(await outputRows(places, { rounds: rounds ?? 15 })),
    ...(await memoryRows({ rounds: Math.min(rounds ?? 5, 5), image, workDir, autogen: python })),
  ]
}
