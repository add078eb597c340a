// What ../python/network.py is, for a sandbox without Python; over stdin and stdout only. See ../src/network/wire.ts.
const { createServer } = require('node:net')

const credit = 256 * 1024
const largest = 64 * 1024
const headerSize = 9
// How much may wait for the host before less is read from programs.
const mostWaiting = 1024 * 1024

const channels = new Map()
let count = 0

function send(kind, number, content = Buffer.alloc(0)) {
  const header = Buffer.alloc(headerSize)
  header.write(kind, 0, 'latin1')
  header.writeUInt32BE(number, 1)
  header.writeUInt32BE(content.length, 5)
  process.stdout.write(Buffer.concat([header, content]))
}

function sendCredit(number, bytes) {
  const content = Buffer.alloc(4)
  content.writeUInt32BE(bytes)
  send('C', number, content)
}

function read(channel) {
  const { number, socket } = channel
  while (channel.credit > 0 && process.stdout.writableLength < mostWaiting && !channel.isOver) {
    const length = Math.min(socket.readableLength, channel.credit, largest)
    const data = length > 0 ? socket.read(length) : socket.read()
    if (data === null) return
    channel.credit -= data.length
    send('D', number, data)
  }
}

function open(socket) {
  socket.setNoDelay(true)
  const channel = { number: ++count, socket, credit, isOver: false, hasEnded: false }
  const { number } = channel
  channels.set(number, channel)
  send('O', number)
  socket.on('readable', () => read(channel))
  socket.on('end', () => {
    channel.hasEnded = true
    send('E', number)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    channels.delete(number)
    if (channel.isOver) return
    channel.isOver = true
    if (!(channel.hasEnded && socket.writableFinished)) send('R', number)
  })
}

function take(kind, number, content) {
  const channel = channels.get(number)
  if (channel === undefined) return
  if (kind === 'D') channel.socket.write(content, () => sendCredit(number, content.length))
  else if (kind === 'E') channel.socket.end()
  else if (kind === 'C') {
    channel.credit += content.readUInt32BE()
    read(channel)
  } else if (kind === 'R') {
    channel.isOver = true
    if (channel.socket.writableEnded) {
      // The program has all of it, and may still have to read it: it ends the connection.
      channel.socket.removeAllListeners('readable').resume()
    } else channel.socket.resetAndDestroy()
  }
}

let received = Buffer.alloc(0)
process.stdin.on('data', (data) => {
  received = Buffer.concat([received, data])
  let at = 0
  while (received.length >= at + headerSize) {
    const end = at + headerSize + received.readUInt32BE(at + 5)
    if (received.length < end) break
    take(
      String.fromCharCode(received[at]),
      received.readUInt32BE(at + 1),
      received.subarray(at + headerSize, end),
    )
    at = end
  }
  received = received.subarray(at)
})
// The host is gone.
process.stdin.on('close', () => process.exit())
process.stdin.on('end', () => process.exit())
process.stdout.on('error', () => process.exit())
process.stdout.on('drain', () => {
  for (const channel of channels.values()) read(channel)
})

const server = createServer({ allowHalfOpen: true }, open)
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
server.listen({ port: Number(process.argv[1]), host: '127.0.0.1', backlog: 512 }, () => {
  process.stdout.write('fenced-network 1\n')
})
