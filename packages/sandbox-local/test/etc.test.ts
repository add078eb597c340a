// @module-tag all

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'
import { etcArguments, hiddenInEtc } from '../src/isolation/etc.ts'
import { bubblewrap } from './requirements.ts'

const made: string[] = []
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true })
})

async function run(script: string, options: LocalSandboxOptions = {}): Promise<string> {
  await using sandbox = new LocalSandbox({ isolation: 'bubblewrap', ...options })
  await sandbox.start()
  const process = await sandbox.spawn(['sh', '-c', `exec 2>&1\n${script}`])
  return await text(process.stdout)
}

/** An `/etc` of `layout`: contents of files by their path, and targets of links behind `->`. */
function etcOf(layout: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'fenced-etc-'))
  made.push(root)
  for (const [name, content] of Object.entries(layout)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), join(root, name))
    else writeFileSync(join(root, name), content)
  }
  return root
}

const has = (program: string, ...args: string[]) =>
  spawnSync(program, args.length === 0 ? ['--version'] : args).status === 0

/** What programs print that need something of /etc. */
const programs: ReadonlyArray<
  readonly [program: string, isThere: boolean, script: string, expected: RegExp]
> = [
  ['users', has('id'), 'id -un; getent hosts localhost', /^\w+\n\S+\s+localhost/],
  [
    'git',
    has('git'),
    'git init -q . && git -c user.name=a -c user.email=b commit -q --allow-empty -m m && git log --format=%s',
    /^m\n$/,
  ],
  [
    'curl and its certificates',
    has('curl') && has('openssl', 'version'),
    `openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -subj /CN=localhost > log 2>&1 || cat log
openssl s_server -www -accept 127.0.0.1:4433 -key k -cert c > log 2>&1 &
count=0; until curl -sS --cacert c https://localhost:4433 -m 5 > page 2>&1 || [ $((count += 1)) = 500 ]; do :; done
curl -sS https://localhost:4433; echo "$?"`,
    // The answer without a list of certificates is 77.
    /\n60\n$/,
  ],
  [
    'Java',
    has('java', '-version'),
    `cat > A.java <<'END'
public class A { public static void main(String[] a) throws Exception {
  var factory = javax.net.ssl.TrustManagerFactory.getInstance("PKIX"); factory.init((java.security.KeyStore) null);
  System.out.println(((javax.net.ssl.X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers().length > 9);
} }
END
java -XX:TieredStopAtLevel=1 A.java`,
    /^true\n$/,
  ],
  [
    'fonts',
    has('fc-list') && spawnSync('fc-list').stdout.length > 0,
    'fc-list | head -1 | cut -c1-4',
    /^\/usr\n$/,
  ],
  ['R', has('R'), `R --vanilla --slave -e 'cat(1 + 1)'`, /^2$/],
]

describe.skipIf(bubblewrap.missing)('/etc in bubblewrap', () => {
  it.each(programs.filter(([, isThere]) => isThere))('has what %s needs', async (_, __, script, expected) => {
    expect(await run(script)).toMatch(expected)
  })

  it('has no entry that hiddenInEtc names, and all others', async () => {
    const hidden = new Set(hiddenInEtc())
    expect(hidden).toContain('/etc/shadow')
    const seen = (await run('find /etc -maxdepth 1 -mindepth 1')).trim().split('\n')
    expect(seen.filter((path) => hidden.has(path))).toEqual([])
  })

  it('shows the certificates of Alpine Linux', () => {
    const etc = etcOf({
      'alpine-release': '3.22.1',
      'apk/repositories': 'https://user:password@example.com',
      'ld-musl-x86_64.path': '/usr/lib',
      passwd: 'root:x:0:0',
      shadow: 'root:secret',
      'ssl/cert.pem': '-> certs/ca-certificates.crt',
      'ssl/certs/ca-certificates.crt': 'certificates',
      'ssl/private/key': 'secret',
    })
    expect(seenOf(etc, '/etc/ssl/cert.pem')).toEqual([
      [
        '/etc/alpine-release',
        '/etc/ld-musl-x86_64.path',
        '/etc/passwd',
        '/etc/ssl/certs/ca-certificates.crt',
      ],
      'certificates',
    ])
    expect(hiddenInEtc(etc)).toEqual(['/etc/apk', '/etc/shadow', '/etc/ssl/private'])
  })

  it('shows the certificates of Fedora, and no key beside them', () => {
    const etc = etcOf({
      'crypto-policies/back-ends/openssl.config': '',
      'fedora-release': '42',
      'pki/ca-trust/extracted/pem/tls-ca-bundle.pem': 'certificates',
      'pki/consumer/key.pem': 'secret',
      'pki/tls/cert.pem': '-> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
      'pki/tls/certs/ca-bundle.crt': '-> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
      'pki/tls/private/key.pem': 'secret',
      'ssl/certs': '-> ../pki/tls/certs',
    })
    expect(seenOf(etc, '/etc/ssl/certs/ca-bundle.crt')).toEqual([
      [
        '/etc/crypto-policies/back-ends/openssl.config',
        '/etc/fedora-release',
        '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
      ],
      'certificates',
    ])
    expect(hiddenInEtc(etc)).toEqual(['/etc/pki/consumer', '/etc/pki/tls/private'])
  })

  it('shows the settings of R on Debian, and no file for tokens', () => {
    const names = ['Makeconf', 'Renviron', 'Renviron.site', 'Rprofile.site', 'ldpaths', 'repositories']
    const etc = etcOf(Object.fromEntries(names.map((name) => [`R/${name}`, name])))
    expect(seenOf(etc, '/etc/R/ldpaths')).toEqual([
      ['/etc/R/Makeconf', '/etc/R/Renviron', '/etc/R/ldpaths', '/etc/R/repositories'],
      'ldpaths',
    ])
    expect(hiddenInEtc(etc)).toEqual(['/etc/R/Renviron.site', '/etc/R/Rprofile.site'])
  })

  it('shows the settings of languages', () => {
    const names = ['java/security', 'perl/Net/libnet.cfg', 'matplotlibrc', 'dotnet/install_location']
    const etc = etcOf(Object.fromEntries([...names, 'dotnet/token'].map((name) => [name, ''])))
    expect(hiddenInEtc(etc)).toEqual(['/etc/dotnet/token'])
  })

  it('keeps links by which programs find the name of the time zone', () => {
    const etc = etcOf({ localtime: '-> /usr/share/zoneinfo/Europe/Zurich', timezone: '-> ../etc/hidden' })
    expect(etcArguments(etc)).toEqual([
      ...['--symlink', '/usr/share/zoneinfo/Europe/Zurich', '/etc/localtime'],
      ...['--ro-bind-try', join(etc, 'timezone'), '/etc/timezone'],
    ])
  })
})

/** What a program sees of `etc`: its files, and the content of one. */
function seenOf(etc: string, file: string): [files: string[], content: string] {
  const system = ['/usr', '/bin', '/lib', '/lib64'].flatMap((path) => ['--ro-bind-try', path, path])
  const command = ['sh', '-c', `find /etc -type f | sort; cat ${file}`]
  const { stdout, stderr } = spawnSync('bwrap', [...system, ...etcArguments(etc), '--', ...command])
  const lines = `${stdout}${stderr}`.split('\n')
  return [lines.slice(0, -1), lines.at(-1) ?? '']
}
