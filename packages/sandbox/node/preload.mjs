// Gives a program of Node the global variable `tools`, before it begins. The relay puts its number in the place of RELAY_PID.
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

// Threads and forks of the program have no tools.
process.execArgv.splice(process.execArgv.indexOf('--import'), 2)
if (isMainThread && process.ppid === RELAY_PID) {
  const path = process.argv[1]
  const socket = new Socket({ fd: 3 }).unref().setEncoding('utf8')
  const waiting = new Map()
  let last = 0
  let rest = ''

  class ToolError extends Error {
    name = 'ToolError'
  }
  class ToolDenied extends ToolError {
    name = 'ToolDenied'
  }

  // `toJSON` of a Buffer has come before the replacer, unless the value is taken from its holder.
  function encode(key, value) {
    const own = this[key]
    if (own instanceof ArrayBuffer) return { $bytes: Buffer.from(own).toString('base64') }
    if (own instanceof Uint8Array)
      return { $bytes: Buffer.from(own.buffer, own.byteOffset, own.byteLength).toString('base64') }
    if (own instanceof Map) return Object.fromEntries(own)
    return own instanceof Set ? [...own] : value
  }

  function decode(_, value) {
    const isBytes = typeof value === 'object' && value !== null && typeof value.$bytes === 'string'
    return isBytes && Object.keys(value).length === 1
      ? new Uint8Array(Buffer.from(value.$bytes, 'base64'))
      : value
  }

  /** The frames of the program that calls. */
  function framesAbove(callee) {
    const holder = {}
    Error.captureStackTrace(holder, callee)
    return holder.stack.split('\n').slice(1)
  }

  function lineOf(frames) {
    const place = frames.find((frame) => frame.includes(path)) ?? ''
    const found = /:(\d+):\d+\)?$/.exec(place)
    return found === null ? undefined : Number(found[1])
  }

  function failure(Kind, message, frames) {
    const error = new Kind(message)
    error.stack = [`${error.name}: ${message}`, ...frames].join('\n')
    return error
  }

  async function call(tool, input, callee) {
    const frames = framesAbove(callee)
    const id = ++last
    let message
    try {
      message = JSON.stringify({ id, tool, line: lineOf(frames), input }, encode)
    } catch (error) {
      throw failure(ToolError, `${tool}: ${error.message}`, frames)
    }
    // The program does not end while it waits.
    socket.ref()
    const answer = await new Promise((resolve) => {
      waiting.set(id, resolve)
      socket.write(`${message}\n`)
    })
    const { output, error } = answer
    if (error === undefined) return output
    throw failure(error.kind === 'denied' ? ToolDenied : ToolError, `${tool}: ${error.message}`, frames)
  }

  function settle(id, answer) {
    waiting.get(id)?.(answer)
    waiting.delete(id)
    if (waiting.size === 0) socket.unref()
  }

  socket.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const answer = JSON.parse(line, decode)
      settle(answer.id, answer)
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const id of waiting.keys()) settle(id, { error: { kind: 'failed', message: 'the host is gone' } })
  })

  const own = Object.assign(Object.create(null), { ToolError, ToolDenied })
  // `await tools`, `JSON.stringify(tools)` and JavaScript itself ask for these. Tools with such names have a trailing `_`.
  const isName = (name) =>
    typeof name === 'string' && name !== 'then' && name !== 'toJSON' && !(name in Object.prototype)
  globalThis.tools = new Proxy(own, {
    get(_, name) {
      if (name in own || !isName(name)) return own[name]
      const callee = (input = {}) => call(name, input, callee)
      return callee
    },
  })
}
//# sourceURL=tools
