import { registerServer } from '../server-from-config.ts'
import { DockerJupyterServer } from './docker-jupyter-server.ts'

export { DockerJupyterServer } from './docker-jupyter-server.ts'
export type { DockerJupyterServerOptions } from './docker-server-options.ts'

registerServer('DockerJupyterServer', (options) => new DockerJupyterServer(options))
