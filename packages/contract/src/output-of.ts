import type { ExecutorSandbox, SpawnOptions } from '@fenced/core/sandbox'

/** Runs a command in a sandbox until it ends. @returns The output of both streams, in order of arrival. */
export async function outputOf(
  sandbox: Pick<ExecutorSandbox, 'spawn'>,
  command: readonly [string, ...string[]],
  options: Omit<SpawnOptions, 'output'> = {},
): Promise<string> {
  const chunks: Uint8Array[] = []
  const process = await sandbox.spawn(command, {
    ...options,
    output: (_, chunk) => void chunks.push(Uint8Array.from(chunk)),
  })
  await process.ended
  return Buffer.concat(chunks).toString()
}
