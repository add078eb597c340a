import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Of the authority that vouches for it, and that nobody knows. */
  readonly ca: string
}

/** A certificate for 127.0.0.1. */
export function makeCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-certificates-'))
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  try {
    writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
    const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc'
    openssl(`${newKey} -x509 -subj /CN=authority -days 2 -keyout ca-key.pem -out ca.pem`)
    openssl(`${newKey} -subj /CN=server -keyout key.pem -out server.csr`)
    openssl(
      'x509 -req -in server.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -extfile names -out cert.pem',
    )
    return { cert: read('cert.pem'), key: read('key.pem'), ca: read('ca.pem') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
