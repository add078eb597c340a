import { closeSync, openSync } from 'node:fs'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { openDescriptors, quietCount } from '@fenced/testing'

// Runs a block with fewer and fewer free descriptors, and counts those that are gone afterwards.
await using executor = new LocalCommandLineCodeExecutor({
  warm: process.argv[2] === 'warm',
  timeoutMs: 20_000,
})
const run = () =>
  executor.execute([{ language: 'python', code: 'print(1)' }]).then(
    ({ status }) => status,
    (error: unknown) => (FencedError.isInstance(error) ? error.code : String(error)),
  )
await run()
const count = () => openDescriptors().size
// The first start reads files in the background.
const before = await quietCount(count, 300)
const ends: string[] = []
for (const free of [8, 6, 5, 4, 3, 2]) {
  const taken: number[] = []
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'))
  } catch {
    for (const descriptor of taken.splice(0, free)) closeSync(descriptor)
  }
  ends.push(await run())
  for (const descriptor of taken) closeSync(descriptor)
}
const after = await run()
process.stdout.write(JSON.stringify({ ends, lost: (await quietCount(count, 300)) - before, after }))
