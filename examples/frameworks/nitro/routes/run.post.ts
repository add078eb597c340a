// Runs the code blocks of a Markdown text, and streams their output: curl --data-binary @answer.md http://localhost:3000/run
import { extractCodeBlocks, LocalCommandLineCodeExecutor } from '@fenced/executor-local'

export default defineEventHandler(async (event) => {
  const client = new AbortController()
  event.node.res.once('close', () => client.abort())
  const markdown = (await readRawBody(event)) ?? ''
  return new Response(ReadableStream.from(outputOf(markdown, client.signal)))
})

/** Each request has its own executor. If the client disconnects, its code stops. */
async function* outputOf(markdown: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', timeoutMs: 10_000 })
  const encoder = new TextEncoder()
  try {
    for await (const event of executor.execute(extractCodeBlocks(markdown), { signal })) {
      if (event.type === 'stdout' || event.type === 'stderr') yield encoder.encode(event.text)
    }
  } finally {
    await executor.stop()
  }
}
