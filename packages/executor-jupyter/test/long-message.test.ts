// @module-tag nightly

import { describe, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { directExecutor, jupyter, run } from './support.ts'

/** As data of a result, it makes a message longer than 128 MiB. */
const showLong = "display({'image/png': 'x' * 2**27}, raw=True)"

/** A kernel signs and copies a message several times. */
const timeout = 180_000

describe.skipIf(jupyter.missing)('a result that is too long for a message', { timeout }, () => {
  test('is an error that says so, and variables are kept', async () => {
    await using executor = directExecutor()
    const result = await run(executor, 'kept = 7', showLong)
    expect(result.status).toBe('error')
    expect(result.output).toMatch(
      /ValueError: A result of \d+ bytes is longer than a message to the host can be/,
    )
    expect((await run(executor, 'print(kept)')).output).toBe('7\n')
  })
})

describeBothWays((create) => {
  test('a longer message is not taken, and the result says that something is missing', {
    timeout,
  }, async () => {
    await using executor = create()
    await executor.start()
    const before = process.memoryUsage.rss()
    const result = await run(executor, 'del get_ipython().kernel.iopub_thread.send_multipart', showLong)
    expect(result).toMatchObject({ status: 'ok', files: [] })
    // What is heard first: that the connection was lost, or that the output has no end.
    const codes = result.blocks[0]?.notices.map(({ code }) => code)
    expect(['output-dropped', 'connection-restored']).toContain(codes?.[0])
    expect(process.memoryUsage.rss() - before).toBeLessThan(2 ** 27)
  })
})
