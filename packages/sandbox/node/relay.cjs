// Runs a program of Node that calls tools of the host, in a place whose processes have no more than stdin, stdout and
// stderr: node -e SOURCE '{"args":[...],"path":"...","preload":"..."}'
//
// stdin has lines of JSON, answers to the program's calls. stdout has frames: a letter, the length of what follows as four
// bytes in big-endian order, and that many bytes.
//     o, e, t   what the program wrote to stdout, to stderr and to its tools
//     d         it has ended by itself, and the rest of its output follows
// It ends as the program did: with its exit code, or by its signal.
'use strict'
const { spawn } = require('node:child_process')

/** How long what the program left behind may go on writing after its end, in milliseconds. */
const drainMs = 100
/** How many answers the program need not have taken before no more of its calls are read. */
const mostUntaken = 32

const { args, path, preload } = JSON.parse(process.argv[1])
const source = preload.replaceAll('RELAY_PID', String(process.pid))
const url = `data:text/javascript,${encodeURIComponent(source)}`
const child = spawn(process.execPath, [...args, '--import', url, path], {
  stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
})
const [, stdout, stderr, tools] = child.stdio
const streams = [stdout, stderr, tools]
let untaken = 0

function send(kind, body) {
  const header = Buffer.alloc(5)
  header.write(kind, 'latin1')
  header.writeUInt32BE(body.length, 1)
  process.stdout.write(header)
  if (process.stdout.write(body)) return
  for (const stream of streams) stream.pause()
}

function resume() {
  stdout.resume()
  stderr.resume()
  // One that calls and does not read waits for its own calls.
  if (untaken < mostUntaken) tools.resume()
}

function answer(line) {
  untaken++
  tools.write(line, () => {
    untaken--
    if (untaken === mostUntaken - 1 && !process.stdout.writableNeedDrain) tools.resume()
  })
  if (untaken >= mostUntaken) tools.pause()
}

function endAs(code, signal) {
  const end = () => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
  process.stdout.write('', end)
}

// It goes with the program, which gets the same signal.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})
process.stdout.on('drain', resume)
process.stdout.on('error', () => child.kill('SIGKILL'))
stdout.on('data', (chunk) => send('o', chunk))
stderr.on('data', (chunk) => send('e', chunk))
tools.on('data', (chunk) => send('t', chunk))
tools.on('error', () => {})
let rest = ''
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) answer(`${line}\n`)
})
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(126)
})
child.on('exit', (code, signal) => {
  send('d', Buffer.alloc(0))
  const end = () => endAs(code, signal)
  child.on('close', end)
  setTimeout(end, drainMs).unref()
})
