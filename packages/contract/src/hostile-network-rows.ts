import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from './backend-commands.ts'
import type { NetworkRow } from './network-row.ts'

/** After every attempt, a host of the list is still reached. */
const stillWorks = `print(status(get('api.test:%d' % http)))`

/** The helpers that a program sees, each with the descriptor of its way to the host. */
const findHelpers = `
helpers = []
for process in filter(str.isdigit, os.listdir('/proc')):
    try: line = open('/proc/%s/cmdline' % process, 'rb').read()
    except OSError: continue
    words = line.split(b'\\0')
    # Neither this program, nor what started it or the helper, which have their text, too.
    interpreter = os.path.basename(words[0]).startswith((b'python', b'node'))
    if b'fenced-network 1' not in line or not interpreter or int(process) == os.getpid(): continue
    link = words[words.index(b'3128') + 1]
    helpers.append((int(process), 1 if link == b'-' else int(link)))
`

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
size = 24_000_000
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
      equal(output, 'True 24000000 24000000 bytes\n')
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
ask('GET http://killed.wild.test:%d/endless HTTP/1.1\\r\\nHost: killed.wild.test:%d\\r\\n\\r\\n' % (http, http)).recv(1000)
os.kill(os.getpid(), 9)`)
      // A separate host, because connections of the previous row can be reported late.
      const own = () => connections.filter(({ host }) => host === 'killed.wild.test')
      await until(async () => own().length > 0, 'the connection is not ended')
      deepEqual(
        own().map(({ port, verdict }) => ({ port, verdict })),
        [{ port: httpPort, verdict: 'allowed' }],
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
    name: 'who reaches into the helper, by its memory, its descriptors or a tracer, has the rights of a program by that',
    async check({ run, connections, hasHelperUser, servers: { httpPort } }) {
      const output = await run(`${findHelpers}
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(*numbers):
    result = libc.syscall(*map(ctypes.c_long, numbers))
    if result < 0: raise OSError(ctypes.get_errno(), 'refused')
    return result
ATTACH, DETACH, PIDFD_OPEN, PIDFD_GETFD = 16, 17, 434, 438
def trace(helper):
    if libc.ptrace(ATTACH, helper, None, None) != 0: raise OSError(ctypes.get_errno(), 'refused')
    os.waitpid(helper, 0)
    libc.ptrace(DETACH, helper, None, None)
def duplicate(helper, link):
    speak(call(PIDFD_GETFD, call(PIDFD_OPEN, helper, 0), link, 0))
def reopen(helper, link):
    speak(os.open('/proc/%d/fd/%d' % (helper, link), os.O_WRONLY))
# Of a channel, to the host: it is opened, and asks for a host that no list has.
def frame(kind, content=b''): return kind + (2 ** 31).to_bytes(4, 'big') + len(content).to_bytes(4, 'big') + content
words = b'GET http://evil.test:%d/ HTTP/1.1\\r\\nHost: evil.test:%d\\r\\n\\r\\n' % (http, http)
def speak(link): os.write(link, frame(b'O') + frame(b'D', words))
def tried(way, act):
    try: act()
    except OSError: return False
    ways.append(way)
    return True
ways = []
for helper, link in helpers:
    tried('signal', lambda: os.kill(helper, 0))
    tried('tracer', lambda: trace(helper))
    tried('memory', lambda: open('/proc/%d/mem' % helper, 'r+b').close())
    tried('descriptor', lambda: duplicate(helper, link)) or tried('file', lambda: reopen(helper, link))
time.sleep(0.5)
print(len(helpers) > 0, *ways)`)
      const [found, ...ways] = output.trim().split(' ')
      equal(found, 'True')
      if (hasHelperUser) deepEqual(ways, [])
      const spoke = ways.includes('descriptor') || ways.includes('file')
      // Connections of previous rows can be reported late. They have another host.
      const asked = connections.filter(({ host }) => host === 'evil.test')
      deepEqual(
        asked.map(({ port, verdict }) => ({ port, verdict })),
        spoke ? [{ port: httpPort, verdict: 'refused' }] : [],
      )
    },
  },
  {
    name: 'who ends or stops the helper gets no other network by that',
    async check({ run, hasHelperUser }) {
      const output = await run(`${findHelpers}
import signal
reached = []
sent = []
def tried(number):
    for helper, _ in helpers:
        try:
            os.kill(helper, number)
            sent.append(number)
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
print(len(helpers) > 0, len(reached), len(sent), answer)`)
      match(output, hasHelperUser ? /^True 0 0 403\n$/ : /^True 0 \d+ (?:403|closed)\n$/)
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
connection = ask('GET http://stopped.wild.test:%d/endless HTTP/1.1\\r\\nHost: stopped.wild.test:%d\\r\\n\\r\\n' % (http, http))
connection.recv(1000)
time.sleep(100)`,
        sandbox,
      )
      await until(async () => endlessBytes() !== before, 'no byte arrives')
      await sandbox.stop()
      await running.catch(() => {})
      deepEqual(ended, ['stopped.wild.test'])
      // Connections of previous rows can be reported late. They have another host.
      ok(!connections.some(({ host }) => ended.includes(host)))
    },
  },
]
