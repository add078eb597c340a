import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { inspect } from 'node:util'
import type { SecretRow } from './secret-row.ts'

export const secretRows: readonly SecretRow[] = [
  {
    name: 'a program uses one by TLS and in the clear, and the host gets it',
    async check({ run, value, servers: { received, httpPort } }) {
      const output = await run(`print(api()[:3], fetch('http://api.test:${httpPort}/')[:3])`)
      equal(output, '200 200\n')
      deepEqual(
        received.map(({ isSecure, head }) => [isSecure, head.includes(`\nAuthorization\nBearer ${value}`)]),
        [
          [true, true],
          [false, true],
        ],
      )
    },
  },
  {
    name: 'as a password, which a host then does not give back either',
    async check({ run, value, servers: { received } }) {
      const output = await run(`
basic = base64.b64encode(('x-access-token:' + token).encode()).decode()
print(api('/', {'Authorization': 'Basic ' + basic}))`)
      match(output, /^200 /)
      const [, sent = ''] = /Authorization\nBasic (.*)/.exec(received[0]?.head ?? '') ?? []
      equal(Buffer.from(sent, 'base64').toString(), `x-access-token:${value}`)
    },
  },
  {
    name: 'in X-Api-Key, whatever the case of its name, and twice in a header',
    async check({ run, value, servers: { received } }) {
      await run(`print(api('/', {'X-API-key': token + ' ' + token}))`)
      ok(received[0]?.head.includes(`${value} ${value}`))
    },
  },
  {
    name: 'its variable, those of other processes, and their command lines do not have it',
    async check({ run }) {
      const output = await run(`
found = [token]
for process in filter(str.isdigit, os.listdir('/proc')):
    for name in ['environ', 'cmdline', 'status']:
        try: found += pattern.findall(open('/proc/%s/%s' % (process, name), 'rb').read())
        except OSError: pass
print(*found)`)
      match(output, /^fenced-secret-[0-9a-f]{32}\n$/)
    },
  },
  {
    name: 'the memory of its processes, and of the helper, does not have it',
    async check({ run }) {
      const output = await run(`
found = []
for process in filter(str.isdigit, os.listdir('/proc')):
    try:
        maps = [line.split()[:2] for line in open('/proc/%s/maps' % process)]
        memory = open('/proc/%s/mem' % process, 'rb', 0)
    except OSError: continue
    for area, rights in maps:
        begin, end = (int(each, 16) for each in area.split('-'))
        if 'r' not in rights or end - begin > 100_000_000: continue
        try:
            memory.seek(begin)
            found += pattern.findall(memory.read(end - begin))
        except (OSError, ValueError, OverflowError): pass
print(len(found))`)
      equal(output, '0\n')
    },
  },
  {
    name: 'no file has it, and none has a key of the authority',
    async check({ run }) {
      const output = await run(`
found = []
for path, content in files('/tmp', '/var/tmp', '/run', '/dev/shm', os.getcwd()):
    if pattern.search(content) or b'PRIVATE KEY' in content: found.append(path)
bundle = open(os.environ["SSL_CERT_FILE"]).read()
print(found, 'PRIVATE' in bundle, bundle.count('BEGIN CERTIFICATE') > 1)`)
      equal(output, '[] False True\n')
    },
  },
  {
    name: 'a host that gives back what it was sent gives back stars',
    async check({ run, servers: { httpPort } }) {
      const output = await run(`print(api(), fetch('http://api.test:${httpPort}/'))`)
      equal(output.split('Bearer *********').length, 3)
    },
  },
  {
    name: 'so it does in headers, cookies, redirects and the line of the status',
    async check({ run }) {
      const output = await run(`print(api('/header'))`)
      match(
        output,
        /^200 For Bearer \*{45}\nX-Echo: Bearer \*{45}\nLocation: .*\*{45}\nSet-Cookie: .*\*{45}\n/,
      )
    },
  },
  {
    name: 'in what it says about an error',
    async check({ run }) {
      match(await run(`print(api('/error'))`), /^500 [\s\S]*wrong token: Bearer \*{45}\n$/)
    },
  },
  {
    name: 'in JSON, HTML, URLs, hexadecimal, capitals, and base64 behind other bytes',
    async check({ run }) {
      const output = await run(`
text = api('/forms').split('\\n\\n', 1)[1]
print(text)
for line in text.split('\\n')[:6]:
    while line:
        try: decoded = base64.b64decode(line + '=' * (-len(line) % 4))
        except ValueError: decoded = b''
        if decoded: print(decoded)
        line = line[1:]`)
      ok(
        output
          .split('\n')
          .slice(0, 14)
          .every((line) => /\*{30}/.test(line)),
        output,
      )
    },
  },
  {
    name: 'when it comes byte by byte',
    async check({ run }) {
      match(await run(`print(api('/slowly'))`), /\n\nBearer \*{45}\n$/)
    },
  },
  {
    name: 'compressed answers are not asked for, and refused where they come all the same',
    async check({ run, servers: { received } }) {
      const output = await run(`
print(api('/', {**bearer, 'Accept-Encoding': 'gzip, br', 'TE': 'gzip'})[:3], api('/gzip')[:3], api('/transfer')[:3])`)
      equal(output, '200 502 502\n')
      match(received[0]?.head ?? '', /\nAccept-Encoding\nidentity\n/)
      ok(!/gzip/i.test(received[0]?.head ?? ''))
    },
  },
  {
    name: 'a part of an answer is not asked for, and refused where it comes all the same',
    async check({ run }) {
      const output = await run(`
for begin in range(0, 45, 5):
    print(api('/part', {**bearer, 'Range': 'bytes=%d-%d' % (begin + 7, begin + 11)})[:3], end=' ')
print(api('/unasked')[:3])`)
      equal(output, `${'200 '.repeat(9)}502\n`)
    },
  },
  {
    name: 'trailers and early hints of an answer are not passed on',
    async check({ run }) {
      const output = await run(`
get = 'GET %s HTTP/1.1\\r\\n' + head + 'Connection: close\\r\\n\\r\\n'
print(spoken(get % '/trailer'), spoken(get % '/hint'))`)
      ok(!/X-Echo: |103 Early/i.test(output) && output.includes('body') && output.includes('hinted'), output)
    },
  },
  {
    name: 'TRACE is one more request',
    async check({ run }) {
      match(
        await run(`print(spoken('TRACE / HTTP/1.1\\r\\n' + head + 'Connection: close\\r\\n\\r\\n'))`),
        /^HTTP\/1\.1 /,
      )
    },
  },
  {
    name: 'another host gets what the program has, also at the same address and port',
    async check({ run, value, servers: { received } }) {
      const output = await run(`
print(fetch('http://other.test:%d/' % http)[:3], status(get('127.0.0.1:%d' % http, headers='Authorization: %s\\r\\nConnection: close' % token)))`)
      equal(output, '200 200\n')
      ok(
        received.length === 2 &&
          received.every(({ head }) => !head.includes(value) && /fenced-secret/.test(head)),
      )
    },
  },
  {
    name: 'TLS with another host is not read',
    async check({ run, servers: { received } }) {
      const output = await run(`
_, connection = tunnel('other.test:%d' % https)
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
other = context.wrap_socket(connection, server_hostname='other.test')
own = ssl.create_default_context()
try: secure('other.test:%d' % https)
except ssl.SSLError as error: print('not of this sandbox')
print(status(rest(ask('GET / HTTP/1.1\\r\\nHost: other.test\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' % token, other))))`)
      equal(output, 'not of this sandbox\n200\n')
      match(received[0]?.head ?? '', /Bearer fenced-secret/)
    },
  },
  {
    name: 'a redirect to another host takes it nowhere, nor one to another port or into the clear',
    async check({ run, value, servers: { received, httpPort, falsePort } }) {
      const output = await run(`
class Keeping(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given):
        new = super().redirect_request(*given)
        new.add_unredirected_header('Authorization', 'Bearer ' + token)
        return new
opener = urllib.request.build_opener(Keeping)
for to in ['http://other.test:${httpPort}/', 'http://api.test:${falsePort}/', 'https://api.test:${httpPort}/']:
    request = urllib.request.Request('https://api.test:%d/?to=%s' % (https, to), headers=bearer)
    try: print(opener.open(request, timeout=20).status)
    except OSError as error: print(type(error).__name__)`)
      match(output, /^200\n/)
      const sent = received.filter(({ head }) => head.includes(value))
      ok(sent.length === 3 && sent.every(({ isSecure, head }) => isSecure && head.startsWith('GET /?to=')))
    },
  },
  {
    name: 'a request whose Host is another one is refused, in the clear and by TLS',
    async check({ run, servers: { received } }) {
      const output = await run(`
plain = 'GET http://%s:%d/ HTTP/1.1\\r\\nHost: %s:%d\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n'
print(status(rest(ask(plain % ('other.test', http, 'api.test', http, token)))))
print(status(rest(ask(plain % ('api.test', http, 'other.test', http, token)))))
for host in ['other.test', 'api.test', 'api.test:443']:
    print(status(spoken('GET / HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' % (host, token))))`)
      equal(output, '403\n'.repeat(5))
      deepEqual(received, [])
    },
  },
  {
    name: 'TLS whose server name is another one, or missing, is refused',
    async check({ run, servers: { received } }) {
      const output = await run(`
def shake(host, name):
    _, connection = tunnel('%s:%d' % (host, https))
    context = ssl.create_default_context()
    context.check_hostname = False
    try: context.wrap_socket(connection, server_hostname=name)
    except OSError as error: return 'ended'
    return 'greeted'
print(shake('api.test', 'other.test'), shake('other.test', 'api.test'), shake('api.test', None))`)
      equal(output, 'ended ended ended\n')
      deepEqual(received, [])
    },
  },
  {
    name: 'a host that cannot show whose it is gets nothing',
    async check({ run, servers: { received } }) {
      const output = await run(`print(fetch('https://api.test:%d/' % fake))`)
      match(output, /^502 no secure connection to api\.test could be made: /)
      deepEqual(received, [])
    },
  },
  {
    name: 'each request on a connection is for its host, also behind another one',
    async check({ run, value, servers: { received } }) {
      const output = await run(`
own = 'GET /own HTTP/1.1\\r\\n' + head + '\\r\\n'
evil = 'GET /evil HTTP/1.1\\r\\nHost: other.test:%d\\r\\nAuthorization: Bearer %s\\r\\nConnection: close\\r\\n\\r\\n' % (https, token)
answer = spoken(own + own + evil)
print(answer.count(' 200 OK'), answer.count(' 403 '))
print(status(spoken('GET https://other.test:%d/ HTTP/1.1\\r\\n' % https + head + 'Connection: close\\r\\n\\r\\n')))
print(status(spoken('CONNECT other.test:%d HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n' % http)))`)
      equal(output, '2 1\n400\n403\n')
      ok(
        received.length === 2 &&
          received.every(({ head }) => head.includes(value) && head.startsWith('GET /own')),
      )
    },
  },
  {
    name: 'requests that can be read in two ways are not passed on',
    async check({ run, servers: { received } }) {
      const output = await run(`
post = 'POST / HTTP/1.1\\r\\n' + head
print(status(spoken(post + 'Content-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET /evil HTTP/1.1\\r\\n\\r\\n')))
print(status(spoken(post + 'Content-Length: 4\\r\\nContent-Length: 5\\r\\n\\r\\nabcde')))
print(status(spoken(post + 'X: a\\nHost: other.test\\r\\n\\r\\n')))
print(status(spoken('GET / HTTP/1.1\\r\\n' + head + 'Authorization : x\\r\\n\\r\\n')))`)
      equal(output, '400\n'.repeat(4))
      deepEqual(received, [])
    },
  },
  {
    name: 'an upgrade to another protocol is not passed on',
    async check({ run, servers: { received } }) {
      const output = await run(`
print(spoken('GET / HTTP/1.0\\r\\n' + head + 'Connection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n'))`)
      ok(!output.includes(' 101 ') && received.every(({ head }) => !/upgrade/i.test(head)), output)
    },
  },
  {
    name: 'HTTP/2 is not spoken',
    async check({ run }) {
      equal(
        await run(
          `print(secure('api.test:%d' % https, protocols=['h2', 'http/1.1']).selected_alpn_protocol())`,
        ),
        'http/1.1\n',
      )
    },
  },
  {
    name: 'it is put in no path, query, body, trailer, and no other header',
    async check({ run, value, servers: { received } }) {
      await run(`
print(api('/%s?a=%s' % (token, token), {'User-Agent': token, 'Cookie': 'a=' + token, 'Referer': token, 'X-Other': token}, data=token.encode()))
print(spoken('POST / HTTP/1.1\\r\\nHost: api.test:%d\\r\\nConnection: close\\r\\nTransfer-Encoding: chunked\\r\\nTrailer: Authorization\\r\\n\\r\\n1\\r\\nx\\r\\n0\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' % (https, token)))`)
      equal(received.length, 2)
      ok(received.every(({ head, body }) => !`${head}${body}`.includes(value)))
      match(received[0]?.body ?? '', /^fenced-secret/)
    },
  },
  {
    name: 'what is no TLS in a connection for it goes out as it is',
    async check({ run, value, servers: { received } }) {
      await run(`
_, connection = tunnel('api.test:%d' % https)
print(status(rest(ask('GET / HTTP/1.1\\r\\n' + head + 'Connection: close\\r\\n\\r\\n', connection))))`)
      ok(received.every(({ head }) => !head.includes(value)))
    },
  },
  {
    name: 'a host is the same in every spelling, and its address is not the host',
    async check({ run, value, servers: { received } }) {
      const output = await run(`
for host in ['API.Test', 'api.test.', '127.0.0.1']:
    print(status(get('%s:%d' % (host, http), headers='Authorization: Bearer %s\\r\\nConnection: close' % token)))`)
      equal(output, '200\n200\n200\n')
      deepEqual(
        received.map(({ head }) => head.includes(value)),
        [true, true, false],
      )
    },
  },
  {
    name: 'guesses are not answered: only the placeholder of this sandbox is replaced',
    async check({ run, value, servers: { received } }) {
      await run(`
for guess in ["API_TOKEN", '$API_TOKEN', 'fenced-secret-' + '0' * 32, token[:-1], token.upper()]:
    api('/', {'Authorization': guess})`)
      ok(received.length === 5 && received.every(({ head }) => !head.includes(value)))
    },
  },
  {
    name: 'a large answer comes whole, with only what it must not have masked',
    async check({ run }) {
      const output = await run(`
body = b'x' * 3_000_000
text = api('/', data=body)
print(len(text) > 3_000_000, text.count('x') >= 3_000_000)`)
      equal(output, 'True True\n')
    },
  },
  {
    name: 'an answer is whole also for a program that reads it late',
    async check({ run }) {
      const output = await run(`
request = 'POST / HTTP/1.1\\r\\n' + head + 'Content-Length: 200000\\r\\nConnection: close\\r\\n\\r\\n' + 'x' * 200_000
connection = ask(request, secure('api.test:%d' % https))
time.sleep(1)
print(rest(connection).count('x') >= 200_000)`)
      equal(output, 'True\n')
    },
  },
  {
    name: 'what is refused, reported and shown of a sandbox does not have it',
    async check({ run, sandbox, connections, value }) {
      equal(await run(`print(api()[:3], status(get('evil.test:%d' % http)))`), '200 403\n')
      ok(connections.length >= 2)
      ok(!JSON.stringify(connections).includes(value))
      ok(!inspect(sandbox, { depth: 20, showHidden: true }).includes(value))
    },
  },
]
