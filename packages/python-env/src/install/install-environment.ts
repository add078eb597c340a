import { type Environment, programEnvironment } from '@fenced/host'

/** What pip, uv and the network need to be told. Nothing else of this process gets to the code of a package. */
const forInstallers =
  /^(PIP|UV)_|^(HTTPS?|ALL|NO)_PROXY$|^(SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/i

/** The environment of an installer, which runs the code of packages while it builds them. */
export function installEnvironment(installEnv: Environment): Environment {
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && forInstallers.test(entry[0]),
  )
  return {
    ...programEnvironment(process.env, { env: {}, inheritEnv: false }),
    ...Object.fromEntries(passed),
    ...installEnv,
  }
}
