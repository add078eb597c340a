import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Targets of symbolic links in `/etc` that programs can see. Such links are kept as links. */
const shownElsewhere = ['/usr/', '/nix/store/', '/proc/']

/**
 * The entries of `/etc` that programs without privileges read. None of them holds passwords, keys, tokens or the
 * configuration of a service.
 */
const shown: readonly string[] = [
  // Libraries and programs.
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'static'],
  // Users and names of the network.
  ...['passwd', 'group', 'nsswitch.conf', 'hosts', 'host.conf', 'resolv.conf', 'gai.conf'],
  ...['services', 'protocols', 'networks', 'rpc', 'ethertypes', 'netconfig'],
  // Time, language, the name of the system.
  ...['localtime', 'timezone', 'locale.conf', 'locale.alias', 'debian_version', 'mtab'],
  // Certificates and settings of TLS: Debian and Arch Linux, Alpine, Fedora, openSUSE.
  ...['ssl/certs', 'ssl/cert.pem', 'ssl/ca-bundle.pem', 'ssl/openssl.cnf', 'ssl/ct_log_list.cnf'],
  ...['ca-certificates/extracted', 'pki/ca-trust/extracted', 'pki/java', 'pki/tls/certs'],
  ...['pki/tls/cert.pem', 'pki/tls/openssl.cnf', 'pki/tls/openssl.d', 'pki/tls/ct_log_list.cnf'],
  ...['crypto-policies', 'gnutls/config'],
  // Fonts, pictures, documents.
  ...['fonts', 'papersize', 'texmf', 'ghostscript', 'xml', 'sgml', 'OpenCL', 'glvnd', 'vulkan'],
  ...['mime.types', 'magic', 'magic.mime', 'terminfo', 'inputrc'],
  // Languages. Renviron.site and Rprofile.site of R are for tokens, too.
  ...['R/Renviron', 'R/ldpaths', 'R/Makeconf', 'R/javaconf', 'R/repositories', 'R/R-site.d'],
  ...['java', 'perl', 'matplotlibrc', 'dotnet/install_location'],
]

/** Entries with a version or a processor in their name. */
const shownPatterns = [
  /^(java|python|ImageMagick)-?\d[\w.-]*$/,
  /^java-[\w.-]+$/,
  /^ld-musl-\w+\.path$/,
  /^[\w.]+-release$/,
]

/** The arguments of bubblewrap that show the allowlist. @param etc - the directory that is shown as `/etc`. */
export function etcArguments(etc = '/etc'): string[] {
  return shownIn(etc).flatMap((name) => {
    const [source, destination] = [join(etc, name), posix.join('/etc', name)]
    const target = linkTarget(source)
    // Programs read the name of the time zone from the link.
    if (target !== undefined && staysShown(posix.resolve(posix.dirname(destination), target))) {
      return ['--symlink', target, destination]
    }
    return ['--ro-bind-try', source, destination]
  })
}

/**
 * Returns the paths in `/etc` that are hidden from programs in bubblewrap, sorted. A hidden directory counts as one path.
 *
 * @param etc - Directory to inspect instead of `/etc`.
 */
export function hiddenInEtc(etc = '/etc'): string[] {
  return hiddenIn(etc, '')
}

function hiddenIn(etc: string, directory: string): string[] {
  return namesIn(join(etc, directory)).flatMap((name) => {
    const path = posix.join(directory, name)
    if (isShown(path)) return []
    return shown.some((each) => each.startsWith(`${path}/`))
      ? hiddenIn(etc, path)
      : [posix.join('/etc', path)]
  })
}

function shownIn(etc: string): string[] {
  const matching = namesIn(etc).filter((name) => shownPatterns.some((pattern) => pattern.test(name)))
  return [...new Set([...shown.filter((name) => exists(join(etc, name))), ...matching])]
}

/** Whether programs see `path`, a path in `/etc` without that, and all that is below it. */
function isShown(path: string): boolean {
  const [name = ''] = path.split('/')
  return (
    shown.some((each) => path === each || path.startsWith(`${each}/`)) ||
    shownPatterns.some((pattern) => pattern.test(name))
  )
}

function staysShown(target: string): boolean {
  if (target.startsWith('/etc/')) return isShown(target.slice('/etc/'.length))
  return shownElsewhere.some((root) => target.startsWith(root))
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    // There is none, or it is a file, or for root only.
    return []
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function linkTarget(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
}
