// What ../python/connection.py is, for a sandbox without Python.
const { connect } = require('node:net')

const port = Number(process.argv[1])

function say(words) {
  process.stderr.write(`\nfenced-relay: ${words}\n`)
}

function relay(connection) {
  for (const stream of [connection, process.stdin, process.stdout]) stream.on('error', () => process.exit(1))
  say('connected')
  process.stdin.pipe(connection)
  connection.pipe(process.stdout)
  // The callback of an empty write runs once everything before it is written.
  connection.on('end', () => process.stdout.write('', () => say(`end ${connection.bytesRead}`)))
}

function open([host, ...others], problem) {
  if (host === undefined) return say(`refused ${problem.message}`)
  const connection = connect({ host, port, allowHalfOpen: true, noDelay: true })
  const next = (error) => open(others, problem ?? error)
  connection.once('error', next)
  connection.once('connect', () => {
    connection.off('error', next)
    relay(connection)
  })
}

open(['127.0.0.1', '::1'])
