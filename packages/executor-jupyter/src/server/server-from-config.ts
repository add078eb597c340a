import { type ComponentConfig, FencedError } from '@fenced/core'
import { optionsOf } from '@fenced/core/internal'
import type { JupyterServer } from './connection-info.ts'
import { LocalJupyterServer } from './local-jupyter-server.ts'

/** A server that its owner stops. */
export interface ManagedServer extends JupyterServer {
  stop(): Promise<void>
}

const kinds = new Map<string, (options: object) => ManagedServer>([
  ['LocalJupyterServer', (options) => new LocalJupyterServer(options)],
])

/** Registers a server of a separate entry point for configs, because it needs an optional peer. */
export function registerServer(name: string, create: (options: object) => ManagedServer): void {
  kinds.set(name, create)
}

/**
 * Creates a server from its config. Does not start it.
 *
 * @throws FencedError `UNKNOWN_COMPONENT`, `CONFIG_VERSION`; `INVALID_OPTIONS` for its options.
 */
export function serverFromConfig(config: ComponentConfig): ManagedServer {
  const create = kinds.get(config.provider)
  if (create !== undefined) return create(optionsOf(config))
  throw new FencedError({
    code: 'UNKNOWN_COMPONENT',
    message: `Unknown Jupyter server "${config.provider}". Known servers: ${[...kinds.keys()].join(' and ')}. ${advice(config.provider)}`,
    data: {
      provider: config.provider,
      known: [...kinds.keys()].join(', '),
      ...(config.provider === 'DockerJupyterServer' ? { package: '@fenced/executor-jupyter/docker' } : {}),
    },
  })
}

function advice(provider: string): string {
  return provider === 'DockerJupyterServer'
    ? "To use this one, install @fenced/sandbox-docker and import '@fenced/executor-jupyter/docker'."
    : 'Pass any other server as an object, in the `server` option or in the `overrides` of a config.'
}
