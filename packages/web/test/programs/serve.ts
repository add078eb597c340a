import { serveTest } from '../served.ts'

/** Serves a directory until it is killed, with a model that gives these answers, one after the other. */
const [directory = '', ...script] = process.argv.slice(2)
const { url, origin, token } = await serveTest({ directory, script })
process.stdout.write(`${JSON.stringify({ url, origin, token })}\n`)

let base = 0
let peak = 0
/** `end` says by how many bytes this process has been larger, since the last `begin`, than at the first. */
process.on('message', (message) => {
  if (message === 'end') {
    process.send?.(peak - base)
    return
  }
  globalThis.gc?.()
  peak = process.memoryUsage.rss()
  base ||= peak
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20).unref()
})
