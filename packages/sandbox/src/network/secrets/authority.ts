import { generateKeyPair, randomBytes } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import { promisify } from 'node:util'
import { FencedError } from '@fenced/core'
import { nodeTls } from '@fenced/shared'
import type forge from 'node-forge'

const millisecondsOfADay = 24 * 3_600_000
/** Longer than a sandbox lives, and no longer than clients take. */
const daysValid = 365

/** Fields of a certificate that it signs. */
interface Certified {
  readonly name: string
  readonly publicKey: forge.pki.PublicKey
  readonly extensions: object[]
}

/**
 * A certificate authority for one sandbox, whose programs trust it. Its key is in the memory of this process, and nowhere else; two
 * sandboxes have two.
 */
export class SandboxAuthority {
  /** In PEM. */
  readonly certificate: string
  readonly #library: typeof forge
  readonly #own: forge.pki.Certificate
  readonly #key: forge.pki.rsa.PrivateKey
  /** The key of all servers that it vouches for. */
  readonly #serverKey: { readonly publicKey: string; readonly privateKey: string }
  readonly #contexts = new Map<string, SecureContext>()

  /** @throws FencedError `SECRETS_UNAVAILABLE` where the library is not installed. */
  static async create(): Promise<SandboxAuthority> {
    const library = await importForge()
    const [own, servers] = await Promise.all([newKey(), newKey()])
    return new SandboxAuthority(library, own, servers)
  }

  private constructor(library: typeof forge, own: KeyPair, servers: KeyPair) {
    this.#library = library
    this.#key = library.pki.privateKeyFromPem(own.privateKey)
    this.#serverKey = servers
    this.#own = this.#certify({
      name: 'Fenced, one sandbox',
      publicKey: library.pki.publicKeyFromPem(own.publicKey),
      extensions: [
        { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
        { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
        { name: 'subjectKeyIdentifier' },
      ],
    })
    this.certificate = library.pki.certificateToPem(this.#own)
  }

  /** What this process answers with as a host, to programs of the sandbox. */
  contextOf(host: string): SecureContext {
    const known = this.#contexts.get(host)
    if (known !== undefined) return known
    const { privateKey: key, publicKey } = this.#serverKey
    const issuer = this.#own.generateSubjectKeyIdentifier().getBytes()
    const certificate = this.#certify({
      name: host.slice(0, 64),
      publicKey: this.#library.pki.publicKeyFromPem(publicKey),
      extensions: [
        { name: 'basicConstraints', critical: true, cA: false },
        { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
        { name: 'subjectKeyIdentifier' },
        { name: 'authorityKeyIdentifier', keyIdentifier: issuer },
      ],
    })
    const context = nodeTls().createSecureContext({
      key,
      cert: this.#library.pki.certificateToPem(certificate),
    })
    this.#contexts.set(host, context)
    return context
  }

  #certify({ name, publicKey, extensions }: Certified): forge.pki.Certificate {
    const { pki, md } = this.#library
    const certificate = pki.createCertificate()
    certificate.publicKey = publicKey
    // Positive, and of the length that RFC 5280 (4.1.2.2) allows.
    certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
    certificate.validity.notBefore = new Date(Date.now() - millisecondsOfADay)
    certificate.validity.notAfter = new Date(Date.now() + daysValid * millisecondsOfADay)
    const subject = [{ name: 'commonName', value: name }]
    certificate.setSubject(subject)
    certificate.setIssuer(this.#own === undefined ? subject : this.#own.subject.attributes)
    certificate.setExtensions(extensions)
    certificate.sign(this.#key, md.sha256.create())
    return certificate
  }
}

interface KeyPair {
  readonly publicKey: string
  readonly privateKey: string
}

/** The library signs with RSA only. */
function newKey(): Promise<KeyPair> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

async function importForge(): Promise<typeof forge> {
  try {
    return (await import('node-forge')).default
  } catch (cause) {
    throw new FencedError({
      code: 'SECRETS_UNAVAILABLE',
      message:
        'The network has `secrets`, which require one more package: npm install node-forge. Nothing was run.',
      cause,
    })
  }
}
