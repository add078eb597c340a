import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { until } from './backend-commands.ts'
import type { NetworkRow } from './network-row.ts'

const list = (names: readonly string[]) => JSON.stringify(names)

export const networkRows: readonly NetworkRow[] = [
  {
    name: 'a host of the list is reached by clients as they are, and each connection is reported with its bytes',
    async check({ run, connections, servers: { httpPort } }) {
      const output = await run(`
print(urllib.request.urlopen('http://api.test:%d/path?query=1' % http).read().decode())
body = urllib.request.Request('http://a.b.wild.test:%d/' % http, data=b'x' * 1_000_000)
print(urllib.request.urlopen(body).read().decode())`)
      equal(output, `GET /path?query=1 for api.test:${httpPort}\n1000000 bytes\n`)
      // A program may end before the ends of its connections are seen.
      await until(async () => connections.length >= 2, 'not every connection is reported')
      deepEqual(
        connections.map(({ host, port, verdict }) => ({ host, port, verdict })),
        [
          { host: 'api.test', port: httpPort, verdict: 'allowed' },
          { host: 'a.b.wild.test', port: httpPort, verdict: 'allowed' },
        ],
      )
      ok((connections[1]?.bytesSent ?? 0) > 1_000_000 && (connections[0]?.bytesReceived ?? 0) > 30)
    },
  },
  {
    name: 'a name that is not in the list is refused before anything resolves it, also at the boundary of a label',
    async check({ run, lookups, connections }) {
      const names = 'evil.test api.test.evil.test xapi.test wild.test xwild.test test localhost'.split(' ')
      const output = await run(`try_both(${list(names)})`)
      equal(output, '403 403\n'.repeat(names.length))
      deepEqual(lookups, [])
      await until(async () => connections.length >= 2 * names.length, 'not every connection is reported')
      deepEqual(new Set(connections.map(({ verdict }) => verdict)), new Set(['refused']))
      equal(connections.length, 2 * names.length)
    },
  },
  {
    name: 'a name of the list is the same in every spelling, and is resolved in one',
    async check({ run, lookups }) {
      const names = ['API.Test', 'api.test.', 'xn--bcher-kva.test', 'XN--BCHER-KVA.TEST.']
      const output = await run(`
for name in ${list(names)}:
    print(status(get('%s:%d' % (name, http))))`)
      equal(output, '200\n'.repeat(names.length))
      deepEqual(new Set(lookups), new Set(['api.test', 'xn--bcher-kva.test']))
    },
  },
  {
    name: 'what is no name is refused: with user names, escapes, spaces, paths, and characters that end it elsewhere',
    async check({ run, lookups }) {
      const names = ['evil.test@api.test', 'api.test%00.evil.test', 'api.test\\0', 'api.test#.evil.test']
      const more = ['api.test..', 'api.test\\\\evil.test', '-api.test', 'api,test', '', '*', '*.wild.test']
      const output = await run(`try_both(${list([...names, ...more])})`)
      ok(!/2\d\d/.test(output), output)
      deepEqual(lookups, [])
    },
  },
  {
    name: 'an address is refused in every notation, unless a range has it and none denies it',
    async check({ run, lookups }) {
      const denied = ['127.0.0.4', '127.4', '2130706436', '0x7f000004', '0177.0.0.4', '0x7f.0.0.0x4', '[::1]']
      const mapped = ['[::ffff:127.0.0.4]', '[::ffff:7f00:4]', '[::7f00:1]', '[64:ff9b::7f00:1]']
      const refused = [...denied, ...mapped, '10.0.0.1', '0']
      const output = await run(`
try_both(${list(refused)})
print(*[status(get('%s:%d' % (name, http))) for name in ['127.0.0.1', '127.1', '0x7f000001', '[::ffff:127.0.0.1]']])`)
      equal(output, `${'403 403\n'.repeat(refused.length)}200 200 200 200\n`)
      deepEqual(lookups, [])
    },
  },
  {
    name: 'a listed name is refused whose address is private, of metadata, or of this machine, unless a range has it',
    async check({ run, connections }) {
      const output = await run(`
for name in ['private.test', 'metadata.test', 'mapped.test', 'denied.test', 'own.test', 'mixed.test']:
    print(name, status(get('%s:%d' % (name, http))))`)
      equal(
        output,
        'private.test 403\nmetadata.test 403\nmapped.test 403\ndenied.test 403\nown.test 403\nmixed.test 200\n',
      )
      const reason = () => connections.find(({ host }) => host === 'private.test')?.reason ?? ''
      await until(async () => reason() !== '', 'the connection is not reported')
      match(reason(), /no public address/)
    },
  },
  {
    name: 'a name is resolved once for a connection, and what was checked is connected to',
    async check({ run, lookups }) {
      const output = await run(`
status_of_tunnel, connection = tunnel('rebound.test:%d' % http)
print(status_of_tunnel, rest(ask('GET / HTTP/1.1\\r\\nHost: rebound.test:%d\\r\\nConnection: close\\r\\n\\r\\n' % http, connection))[9:12])
print(status(get('rebound.test:%d' % http)))`)
      equal(output, '200 200\n403\n')
      deepEqual(lookups, ['rebound.test', 'rebound.test'])
    },
  },
  {
    name: 'another port of a listed host is refused',
    async check({ run }) {
      const output = await run(
        `print(status(get('api.test:22')), tunnel('api.test:25')[0], tunnel('api.test')[0], tunnel('api.test:0')[0])`,
      )
      equal(output, '403 403 400 400\n')
    },
  },
  {
    name: 'each request on a connection has to be for the host that it names, also behind another one',
    async check({ run }) {
      const output = await run(`
good = 'GET http://api.test:%d/ HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % (http, http)
evil = 'GET http://api.test:%d/ HTTP/1.1\\r\\nHost: evil.test\\r\\nConnection: close\\r\\n\\r\\n' % http
print(rest(ask(good + evil)).count(' 200 OK'))
print(status(rest(ask(evil))))
print(status(rest(ask('GET http://api.test:%d/ HTTP/1.1\\r\\nHost: api.test:%d\\r\\nHost: evil.test\\r\\nConnection: close\\r\\n\\r\\n' % (http, http)))))
print(status(rest(ask('GET https://api.test:%d/ HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n' % http))))
_, connection = tunnel('api.test:%d' % http)
own = 'GET / HTTP/1.1\\r\\nHost: api.test:%d\\r\\n\\r\\n' % http
answers = rest(ask(own + own + 'GET / HTTP/1.1\\r\\nHost: evil.test\\r\\nConnection: close\\r\\n\\r\\n', connection))
print(answers.count(' 200 OK'), answers.count(' 403 '))
_, connection = tunnel('api.test:%d' % http)
print(status(rest(ask('CONNECT evil.test:%d HTTP/1.1\\r\\nHost: evil.test\\r\\n\\r\\n' % http, connection))))`)
      equal(output, '1\n403\n403\n400\n2 1\n403\n')
    },
  },
  {
    name: 'requests that two servers may read in two ways, and upgrades, are not passed on',
    async check({ run }) {
      const output = await run(`
head = 'POST http://api.test:%d/ HTTP/1.1\\r\\nHost: api.test:%d\\r\\n' % (http, http)
print(status(rest(ask(head + 'Content-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET / HTTP/1.1\\r\\n\\r\\n'))))
print(status(rest(ask(head + 'Content-Length: 4\\r\\nContent-Length: 5\\r\\n\\r\\nabcde'))))
print(status(rest(ask(head + 'X: a\\nHost: evil.test\\r\\n\\r\\n'))))
print(status(get('api.test:%d' % http, headers='Connection: Upgrade, close\\r\\nUpgrade: websocket')[:15]))`)
      equal(output, '400\n400\n400\n200\n')
    },
  },
  {
    name: 'a redirect is another request, and decided as one',
    async check({ run, lookups }) {
      const output = await run(`
try: urllib.request.urlopen('http://api.test:%d/redirect' % http)
except urllib.error.HTTPError as error: print(error.code, error.reason)`)
      equal(output, '403 evil.test is not in the network list of this sandbox\n')
      deepEqual(lookups, ['api.test'])
    },
  },
  {
    name: 'TLS has to name the host that it is a connection to',
    async check({ run, servers: { received }, connections }) {
      received.length = 0
      const output = await run(`
context = ssl.create_default_context()
context.check_hostname = False
def shake(host, name):
    _, connection = tunnel('%s:%d' % (host, tcp))
    try: context.wrap_socket(connection, server_hostname=name)
    except OSError as error: return 'ended' if 'UNRECOGNIZED' in str(error).upper() else type(error).__name__
print(shake('api.test', 'evil.test'), shake('api.test', None), shake('127.0.0.1', 'evil.test'))
print(shake('api.test', 'api.test') != 'ended', shake('127.0.0.1', None) != 'ended')`)
      equal(output, 'ended ended ended\nTrue True\n')
      const greeted = received.filter(({ length }) => length > 0)
      equal(greeted.length, 2)
      ok(greeted.every((words) => words[0] === 22))
      const reason = () => connections.find(({ verdict }) => verdict === 'refused')?.reason ?? ''
      await until(async () => reason() !== '', 'the connection is not reported')
      match(reason(), /TLS names "evil.test"/)
    },
  },
  {
    name: 'what is neither HTTP nor TLS is not passed on',
    async check({ run, servers: { received } }) {
      received.length = 0
      const output = await run(`
for words in [b'SSH-2.0-x\\r\\n', b'\\x00\\x01\\x02', b'\\x16\\x03\\x01\\x00\\x05abcde', b'\\x16\\x03\\x01\\xff\\xff' + b'\\x01\\xff\\xff\\xff' + b'x' * 70000]:
    _, connection = tunnel('api.test:%d' % tcp)
    rest(ask(words, connection))
print('done')`)
      equal(output, 'done\n')
      deepEqual(
        received.filter(({ length }) => length > 0),
        [],
      )
    },
  },
  {
    name: 'servers of the sandbox itself are reached without the proxy',
    async check({ run }) {
      const output = await run(`
import http.server
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *_: None
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen('http://localhost:%d/' % server.server_port).status)`)
      equal(output, '200\n')
    },
  },
]
