import type { ClientRequest, IncomingMessage } from 'node:http'
import { Fault } from './fault.ts'

/** How many times as long as for a question an engine may be silent while it works, as when it pulls an image. */
const workFactor = 10

/** Requests that take their time, and may say nothing until they are done. */
const works: readonly RegExp[] = [
  /^POST .*\/containers\/create\b/,
  /^POST .*\/containers\/[^/]+\/(start|wait)\b/,
  /^POST .*\/images\/create\b/,
  /^POST .*\/commit\b/,
  /^(PUT|GET) .*\/containers\/[^/]+\/archive\b/,
  /^DELETE /,
]

/** Requests whose answer is the output of a program, which may write nothing for as long as it runs. */
const programs = /^POST .*\/(exec\/[^/]+\/start|containers\/[^/]+\/attach)\b/

/** How often it is looked at within the limit. */
const looks = 4

/** What a socket counts, also one through ssh. */
interface Counting {
  readonly bytesRead?: number
  readonly bytesWritten?: number
}

/**
 * Ends a request with a {@link Fault} when nothing comes of an engine for so long, or it takes nothing. The time in which it waits
 * for this process, because the content of an archive is slow to come or an answer is not read, does not count.
 *
 * @param limitMs - of a question, in milliseconds; of other work ten times as long.
 */
export function limitSilence(request: ClientRequest, limitMs: number): void {
  const question = `${request.method} ${request.path.split('?', 1)[0]}`
  const patienceMs = works.some((work) => work.test(question)) ? limitMs * workFactor : limitMs
  let response: IncomingMessage | undefined
  let before = -1
  let quiet = 0
  const timer = setInterval(() => {
    const { bytesRead = 0, bytesWritten = 0 } = (request.socket ?? {}) as Counting
    const now = bytesRead + bytesWritten
    quiet = now === before && !waitsForUs(request, response) ? quiet + 1 : 0
    before = now
    if (quiet < looks) return
    clearInterval(timer)
    const words = `no answer to \`${question}\` within ${patienceMs / 1_000} seconds`
    // Of a request whose answer has begun, only the answer passes the error on.
    ;(response ?? request).destroy(
      new Fault('silent', words, { data: { request: question, limitMs: String(patienceMs) } }),
    )
  }, patienceMs / looks).unref()
  request.once('close', () => clearInterval(timer))
  request.once('response', (answer: IncomingMessage) => {
    response = answer
    if (programs.test(question) && (answer.statusCode ?? 0) < 300) clearInterval(timer)
  })
}

function waitsForUs(request: ClientRequest, response: IncomingMessage | undefined): boolean {
  const isContentMissing = request.method === 'PUT' && !request.writableEnded && !request.writableNeedDrain
  return isContentMissing || (response?.readableLength ?? 0) > 0
}
