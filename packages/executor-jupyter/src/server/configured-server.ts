import { type ComponentConfig, FencedError, optionsOfToday } from '@fenced/core'
import { DockerJupyterServer } from './docker/docker-jupyter-server.ts'
import { LocalJupyterServer } from './local-jupyter-server.ts'

/** A server that whoever makes it has to stop. */
export type OwnServer = LocalJupyterServer | DockerJupyterServer

const kinds = new Map<string, (options: object) => OwnServer>([
  ['LocalJupyterServer', (options) => new LocalJupyterServer(options)],
  ['DockerJupyterServer', (options) => new DockerJupyterServer(options)],
])

/**
 * Makes a server of its config; it does not run yet.
 *
 * @throws FencedError `UNKNOWN_COMPONENT`, `CONFIG_VERSION`; `INVALID_OPTIONS` for its options.
 */
export function configuredServer(config: ComponentConfig): OwnServer {
  const create = kinds.get(config.provider)
  if (create !== undefined) return create(optionsOfToday(config, {}))
  throw new FencedError({
    code: 'UNKNOWN_COMPONENT',
    message: `No Jupyter server is called "${config.provider}": there are ${[...kinds.keys()].join(' and ')}. Give one of another kind as an object, in the option \`server\` or among the \`overrides\` of a config.`,
  })
}
