import { serveTest } from '../served.ts'

/** Serves a directory until it is killed. */
const [directory = '', answer = ''] = process.argv.slice(2)
const { origin, token } = await serveTest({ directory, script: [answer] })
process.stdout.write(`${JSON.stringify({ origin, token })}\n`)
