import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkRow } from './describe-network.ts'

/** Behind whatever else was tried, a host of the list is reached. */
const stillWorks = `print(status(get('api.test:%d' % http)))`

export const hostileNetworkRows: readonly NetworkRow[] = [
  {
    name: 'nothing is reached without the proxy: no port of this machine, no address, no name, no abstract socket',
    async check({ run }) {
      const name = `fenced-test-${process.pid}-${performance.now()}`
      const abstract = createServer((socket) => socket.end('reached')).listen(`\0${name}`)
      const output = await run(`
def tried(act):
    try:
        act()
        print('reached', act)
    except OSError: pass
def unix():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect('\\0${name}')
tried(unix)
tried(lambda: socket.create_connection(('127.0.0.1', http), 2))
for address in [('192.0.2.1', 80), ('169.254.169.254', 80), ('10.0.0.1', 53)]:
    tried(lambda: socket.create_connection(address, 2))
    tried(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', address))
tried(lambda: socket.create_connection(('::1', http), 2))
tried(lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('2001:db8::1', 53)))
for name in ['example.com', 'api.test']: tried(lambda: socket.getaddrinfo(name, 80))
print('done')`)
      abstract.close()
      equal(output, 'done\n')
    },
  },
  {
    name: 'garbage is answered or ended, and the next connection works',
    async check({ run }) {
      const output = await run(`
import random
random.seed(1)
for words in [b'', b'\\0' * 100_000, b'GET ' + b'a' * 100_000, b'\\r\\n' * 5_000, b'GET / HTTP/9.9\\r\\n\\r\\n', b'CONNECT  HTTP/1.1\\r\\n\\r\\n', b'D\\0\\0\\0\\1\\0\\0\\0\\1x'] + [random.randbytes(500) for _ in range(50)]:
    connection = dial()
    try:
        connection.sendall(words)
        connection.shutdown(socket.SHUT_WR)
    except OSError: pass
    rest(connection)
${stillWorks}`)
      equal(output, '200\n')
    },
  },
  {
    name: 'two hundred connections at once are all served',
    async check({ run }) {
      const output = await run(`
connections = [ask('GET http://api.test:%d/bytes/20000 HTTP/1.1\\r\\nHost: api.test:%d\\r\\nConnection: close\\r\\n\\r\\n' % (http, http)) for _ in range(200)]
print(sum(rest(each).endswith('x' * 20000) for each in connections))`)
      equal(output, '200\n')
    },
  },
  {
    name: 'a large transfer is whole, in both directions, and small requests are answered beside it',
    async check({ run }) {
      const output = await run(`
size = 64_000_000
done = []
def large():
    answer = urllib.request.urlopen('http://api.test:%d/bytes/%d' % (http, size))
    count = 0
    while True:
        data = answer.read(65536)
        if not data: break
        count += len(data)
    done.append(count)
def sent(): done.append(urllib.request.urlopen('http://api.test:%d/' % http, data=b'x' * size).read().decode())
threads = [threading.Thread(target=large), threading.Thread(target=sent)]
for each in threads: each.start()
small = [status(get('api.test:%d' % http)) for _ in range(20)]
for each in threads: each.join()
print(small == ['200'] * 20, *sorted(map(str, done)))`)
      equal(output, 'True 64000000 64000000 bytes\n')
    },
  },
  {
    name: 'a program that does not read holds its own server up, and nothing else',
    async check({ run, servers: { endlessBytes } }) {
      const output = await run(`
still = [ask('GET http://api.test:%d/endless HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % (http, http)) for _ in range(4)]
time.sleep(2)
${stillWorks}`)
      equal(output, '200\n')
      const taken = endlessBytes()
      await sleep(200)
      // What the kernel keeps for a connection is most of it.
      ok(taken < 200_000_000 && endlessBytes() === taken, `${taken} bytes were taken of four endless answers`)
    },
  },
  {
    name: 'a connection ends with its program',
    async check({ run, connections, servers: { httpPort } }) {
      await run(`
ask('GET http://api.test:%d/endless HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % (http, http)).recv(1000)
os.kill(os.getpid(), 9)`)
      for (let round = 0; round < 200 && connections.length === 0; round++) await sleep(50)
      deepEqual(
        connections.map(({ host, port, verdict }) => ({ host, port, verdict })),
        [{ host: 'api.test', port: httpPort, verdict: 'allowed' }],
      )
    },
  },
  {
    name: 'connections beyond the limit are refused, and served when there is room again',
    async check({ run, start }) {
      const sandbox = await start({ maxConnections: 5 })
      const output = await run(
        `
held = [tunnel('api.test:%d' % tcp)[1] for _ in range(5)]
try: print(status(get('api.test:%d' % http)))
except OSError: print('closed')
for each in held: each.close()
for _ in range(100):
    answer = status(get('api.test:%d' % http))
    if answer == '200': break
    time.sleep(0.1)
print(answer)`,
        sandbox,
      )
      equal(output, 'closed\n200\n')
      await sandbox.stop()
    },
  },
  {
    name: 'bytes beyond the limit end what is open, and all that comes later is refused',
    async check({ run, start }) {
      const sandbox = await start({ maxBytes: 5_000_000 })
      const output = await run(
        `
answer = rest(ask('GET http://api.test:%d/endless HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % (http, http)))
print(1_000_000 < len(answer) < 8_000_000)
print(get('api.test:%d' % http)[9:70])`,
        sandbox,
      )
      match(output, /^True\n403 this sandbox has moved all of its 5000000 bytes/)
      await sandbox.stop()
    },
  },
  {
    name: 'who ends or stops the helper gets no other network by that',
    async check({ run, sandbox }) {
      const output = await run(`
import signal
reached = []
helpers = []
for process in filter(str.isdigit, os.listdir('/proc')):
    try: line = open('/proc/%s/cmdline' % process, 'rb').read()
    except OSError: continue
    # Not the shell that started this program, which has its text, too.
    if b'fenced-network 1' not in line or line.startswith(b'/bin/sh'): continue
    if int(process) != os.getpid(): helpers.append(int(process))
def tried(number):
    for helper in helpers:
        try: os.kill(helper, number)
        except OSError: pass
tried(signal.SIGSTOP)
for host, port in [('127.0.0.1', http), ('192.0.2.1', 80)]:
    try: reached.append(socket.create_connection((host, port), 2))
    except OSError: pass
tried(signal.SIGCONT)
tried(signal.SIGKILL)
time.sleep(0.2)
try: answer = status(get('evil.test:%d' % http))
except OSError: answer = 'closed'
print(len(helpers) > 0, len(reached), answer in ('403', 'closed'))`)
      equal(output, 'True 0 True\n')
      ok(sandbox.id !== undefined)
    },
  },
  {
    name: 'its connections end with the sandbox',
    async check({ run, start, connections, servers: { endlessBytes } }) {
      const sandbox = await start({})
      const before = endlessBytes()
      const ended: string[] = []
      sandbox.network?.watch({ onConnection: ({ host }) => ended.push(host) })
      const running = run(
        `
connection = ask('GET http://api.test:%d/endless HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % (http, http))
connection.recv(1000)
time.sleep(100)`,
        sandbox,
      )
      for (let round = 0; round < 200 && endlessBytes() === before; round++) await sleep(50)
      await sandbox.stop()
      await running.catch(() => {})
      deepEqual(ended, ['api.test'])
      deepEqual(connections, [])
    },
  },
]
