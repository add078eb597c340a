import { randomInt } from 'node:crypto'
import { keepAliveCommand, type LifeLimits } from '@fenced/sandbox/driver'
import { nonInteractiveEnvironment } from '@fenced/shared'
import { ownMetadata, type PodEnd } from './labels.ts'
import type { PodSettings } from './pod-options.ts'
import { containerName } from './pod-types.ts'

/** Where processes find the working directory. */
export const workingDirectoryInside = '/workspace'

const home = '/home/user'

/** What can be written to, where the root file system cannot. */
const writable = { work: workingDirectoryInside, temporary: '/tmp', home } as const

/** Creates the request for a pod for untrusted code. `env` is not part of it, because users who may read pods could read it. */
export function podRequest(settings: PodSettings, life: LifeLimits, end: PodEnd = {}) {
  const { maxLifetimeMs } = life
  const expires = maxLifetimeMs === 0 ? undefined : new Date(Date.now() + maxLifetimeMs).toISOString()
  const own = ownMetadata(end, expires)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...own,
      labels: { ...settings.labels, ...own.labels },
      annotations: { ...settings.annotations, ...own.annotations },
    },
    spec: {
      ...placement(settings),
      ...(maxLifetimeMs === 0 ? {} : { activeDeadlineSeconds: Math.ceil(maxLifetimeMs / 1_000) }),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      securityContext: {
        ...userOf(settings),
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: Object.keys(writable).map((name) => ({
        name,
        emptyDir: { sizeLimit: settings.resources.limits['ephemeral-storage'] },
      })),
      containers: [container(settings, life)],
    },
  }
}

export type PodRequest = ReturnType<typeof podRequest>

function placement(settings: PodSettings) {
  const { runtimeClassName, priorityClassName, nodeSelector, tolerations, imagePullSecrets } = settings
  return {
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    nodeSelector,
    tolerations,
    imagePullSecrets: imagePullSecrets.map((name) => ({ name })),
  }
}

/** Returns a number that no other pod of the node has: the process limit counts the processes of a user on the whole node. */
function userOf({ user = randomInt(100_000, 2 ** 31 - 1) }: PodSettings): {
  runAsUser?: number
  runAsGroup?: number
  fsGroup?: number
} {
  return user === false ? {} : { runAsUser: user, runAsGroup: user, fsGroup: user }
}

function container(settings: PodSettings, life: LifeLimits) {
  const { image, imagePullPolicy, resources } = settings
  return {
    name: containerName,
    image,
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
    command: keepAliveCommand(life).map(unexpanded),
    workingDir: workingDirectoryInside,
    env: Object.entries({ ...nonInteractiveEnvironment, HOME: home, USER: 'user', LOGNAME: 'user' }).map(
      ([name, value]) => ({ name, value }),
    ),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: Object.entries(writable).map(([name, mountPath]) => ({ name, mountPath })),
  }
}

/** Kubernetes takes `$(NAME)` for a variable of the container, and `$$` for a dollar. */
function unexpanded(word: string): string {
  return word.replaceAll('$', () => '$$')
}
