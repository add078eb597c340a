import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]
type Build = Parameters<Plugin['setup']>[0]

/** Modules that dockerode and docker-modem require for calls that Fenced never makes: BuildKit, build contexts, ssh and their own HTTP client. */
const unused: ReadonlySet<string> = new Set([
  ...['./session', './buildkit', 'tar-fs', '@balena/dockerignore'],
  ...['./ssh', './http', './http_duplex', 'split-ca', 'debug'],
])

/** The stub of each. docker-modem makes its logger while it loads. */
const stub = (name: string) =>
  name === 'debug'
    ? 'module.exports = () => () => {}'
    : `module.exports = () => { throw new Error('Fenced is built without ${name} of dockerode.') }`

/**
 * Builds dockerode and docker-modem into a package, without their dependencies, some of which are native or have install scripts.
 */
export const builtInDockerode: Plugin = {
  name: 'built-in-dockerode',
  setup: leaveOutUnused,
}

function leaveOutUnused(build: Build): void {
  build.onResolve({ filter: /^/ }, ({ path, importer }) =>
    unused.has(path) && /[\\/]node_modules[\\/](?:dockerode|docker-modem)[\\/]lib[\\/]/.test(importer)
      ? { path, namespace: 'unused' }
      : undefined,
  )
  build.onLoad({ filter: /^/, namespace: 'unused' }, ({ path }) => ({ contents: stub(path) }))
}
