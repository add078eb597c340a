import { execFileSync } from 'node:child_process'
import { temporaryFolder } from './temporary-folder.fixture.ts'

/** An authority (`ca.pem`), and what it vouches for: `server.pem` for 127.0.0.1, `cert.pem` for a client. */
export function makeCertificates(): string {
  const folder = temporaryFolder({
    server: 'subjectAltName=IP:127.0.0.1',
    cert: 'extendedKeyUsage=clientAuth',
  })
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' })
  const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'
  openssl(`${newKey} -x509 -subj /CN=authority -days 2 -keyout ca-key.pem -out ca.pem`)
  for (const [name, key] of [
    ['server', 'server-key.pem'],
    ['cert', 'key.pem'],
  ]) {
    openssl(`${newKey} -subj /CN=${name} -keyout ${key} -out ${name}.csr`)
    openssl(
      `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile ${name} -out ${name}.pem`,
    )
  }
  return folder
}
