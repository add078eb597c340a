import type { CodeBlock, CodeBlockScanner } from '@fenced/markdown'
import { untilAborted } from '@fenced/shared'

interface Reading {
  readonly scanner: CodeBlockScanner
  readonly signal: AbortSignal
  /** Called when a fence may have opened. */
  readonly onFence: () => void
}

/** The blocks of a text that is still being written. @throws the reason of the signal. */
export async function* blocksOf(
  text: AsyncIterable<string>,
  { scanner, signal, onFence }: Reading,
): AsyncGenerator<CodeBlock, undefined, undefined> {
  signal.throwIfAborted()
  const pieces = text[Symbol.asyncIterator]()
  let isRead = false
  let lastLine = ''
  try {
    for (;;) {
      const { done, value } = await untilAborted(pieces.next(), signal)
      if (done) break
      lastLine = `${lastLine}${value}`
      if (/^.{0,20}(```|~~~)/m.test(lastLine)) onFence()
      lastLine = lastLine.slice(lastLine.lastIndexOf('\n') + 1).slice(0, 30)
      yield* scanner.push(value)
    }
    isRead = true
    yield* scanner.end()
  } finally {
    // Not awaited: `return()` of a stuck text never resolves.
    if (!isRead) void Promise.resolve(pieces.return?.()).catch(() => {})
  }
}
