import { join } from 'node:path'
import type { DockerExecutorOptions } from '../src/index.ts'
import { docker, podman, podmanHost, remote, remoteDocker, runsc } from './requirements.ts'

const tls = {
  caFile: join(remote.certificates, 'ca.pem'),
  certFile: join(remote.certificates, 'cert.pem'),
  keyFile: join(remote.certificates, 'key.pem'),
}

/** An engine that rows are asked of, and how an executor or a sandbox is there. */
export interface EngineUnderTest {
  readonly name: string
  readonly requirement: { readonly missing: boolean }
  readonly options: Pick<DockerExecutorOptions, 'docker' | 'runtime' | 'memoryBytes' | 'pids'>
}

/** Docker, Podman, and Docker on another machine. */
export const eachEngine: readonly EngineUnderTest[] = [
  { name: 'docker', requirement: docker, options: {} },
  { name: 'podman', requirement: podman, options: { docker: podmanHost } },
  { name: 'docker, remote', requirement: remoteDocker, options: { docker: { host: remote.host, tls } } },
]

/** A runtime with a kernel of its own. Debian's knows no limits on this kind of engine, so none is promised. */
export const gVisor: EngineUnderTest = {
  name: 'docker, gVisor',
  requirement: runsc,
  options: { runtime: 'runsc', memoryBytes: false, pids: false },
}
