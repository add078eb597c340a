// What ../python/network_test.py is, for a sandbox without Python.
const dgram = require('node:dgram')
const { connect } = require('node:net')

const hasWay = (type, address) =>
  new Promise((resolve) => {
    const socket = dgram.createSocket(type).on('error', () => resolve([]))
    // It sends nothing: the kernel says whether there is a route.
    socket.connect(9, address, (error) => {
      socket.close()
      resolve(error ? [] : [address])
    })
  })

async function main() {
  const ways = await Promise.all([
    hasWay('udp4', '192.0.2.1'),
    hasWay('udp4', '10.0.0.1'),
    hasWay('udp4', '169.254.169.254'),
    hasWay('udp6', '2001:db8::1'),
  ])
  const proxy = connect(Number(process.argv[1]), '127.0.0.1')
  proxy.setTimeout(10_000, () => proxy.destroy())
  proxy.write(
    'CONNECT fenced-network-test.invalid:443 HTTP/1.1\r\nHost: fenced-network-test.invalid:443\r\n\r\n',
  )
  let answer = ''
  for await (const chunk of proxy) {
    answer += chunk.toString('latin1')
    if (answer.includes('\r\n')) break
  }
  process.stdout.write(`${ways.flat().join(', ')}\n${answer.split('\r\n')[0]}\n`)
}

main().catch((error) => {
  process.stderr.write(`${error}\n`)
  process.exitCode = 1
})
