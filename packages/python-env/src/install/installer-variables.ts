import { type Environment, programEnvironment, withTrustedPath } from '@fenced/host'

/** Options of pip that say where packages come from and how they are installed. Uploads and logins of other programs are not among them. */
const pip =
  `INDEX_URL EXTRA_INDEX_URL NO_INDEX FIND_LINKS TRUSTED_HOST CERT CLIENT_CERT PROXY TIMEOUT DEFAULT_TIMEOUT RETRIES
  RESUME_RETRIES KEYRING_PROVIDER CACHE_DIR NO_CACHE_DIR CONFIG_FILE CONSTRAINT BUILD_CONSTRAINT PRE UPLOADED_PRIOR_TO
  PREFER_BINARY ONLY_BINARY NO_BINARY NO_BUILD_ISOLATION NO_DEPS REQUIRE_HASHES REQUIRE_VIRTUALENV IGNORE_REQUIRES_PYTHON
  USE_FEATURE USE_DEPRECATED USE_PEP517 CONFIG_SETTINGS GLOBAL_OPTION BREAK_SYSTEM_PACKAGES COMPILE NO_COMPILE UPGRADE
  UPGRADE_STRATEGY DISABLE_PIP_VERSION_CHECK NO_INPUT PROGRESS_BAR QUIET VERBOSE LOG NO_COLOR ROOT_USER_ACTION ISOLATED`
    .split(/\s+/)
    .map((option) => `PIP_${option}`)

/** The same options of uv. */
const uv =
  `INDEX_URL EXTRA_INDEX_URL DEFAULT_INDEX INDEX NO_INDEX FIND_LINKS INDEX_STRATEGY INSECURE_HOST KEYRING_PROVIDER
  CREDENTIALS_DIR NATIVE_TLS SYSTEM_CERTS OFFLINE HTTP_TIMEOUT HTTP_CONNECT_TIMEOUT HTTP_RETRIES REQUEST_TIMEOUT CACHE_DIR
  NO_CACHE LOCK_TIMEOUT CONFIG_FILE NO_CONFIG CONSTRAINT BUILD_CONSTRAINT OVERRIDE EXCLUDE EXCLUDE_NEWER PRERELEASE RESOLUTION
  FORK_STRATEGY TORCH_BACKEND NO_BINARY NO_BINARY_PACKAGE NO_BUILD NO_BUILD_PACKAGE NO_BUILD_ISOLATION NO_SOURCES
  REQUIRE_HASHES NO_VERIFY_HASHES BREAK_SYSTEM_PACKAGES COMPILE_BYTECODE LINK_MODE CONCURRENT_BUILDS CONCURRENT_DOWNLOADS
  CONCURRENT_INSTALLS MANAGED_PYTHON NO_MANAGED_PYTHON PYTHON_PREFERENCE PYTHON_INSTALL_DIR NO_PROGRESS`
    .split(/\s+/)
    .map((option) => `UV_${option}`)

const connections = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']
const certificates = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']

const allowed = new Set([...pip, ...uv, ...connections, ...certificates])

/** The login for an index that is configured for uv by its name. */
const loginForIndex = /^UV_INDEX_\w+_(USERNAME|PASSWORD)$/

/** The environment of an installer, which runs the code of packages while it builds them: an allowlist. */
export function installEnvironment(installEnv: Environment): Environment {
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isForInstallers(entry[0]),
  )
  return {
    // uv and pip start other programs, such as git.
    ...withTrustedPath(programEnvironment(process.env, { env: {}, inheritEnv: false })),
    ...Object.fromEntries(passed),
    ...installEnv,
  }
}

/** Whether a variable of this process is passed on to pip and uv, and so to the code of the packages that they build. */
function isForInstallers(name: string): boolean {
  const upperCase = name.toUpperCase()
  return allowed.has(upperCase) || loginForIndex.test(upperCase)
}
