import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { requirement } from '@fenced/testing'

/** The images that the tests run in, as packages/executor-docker makes them. The second has a shell and nothing else. */
export const images = { python: 'fenced-test/python', busybox: 'fenced-test/busybox' } as const

const host = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'

/** What the tests need of this machine. */
export const docker = requirement('docker', await problem())

/** Names of the containers that a process has left. */
export async function containersOf(processId: number | undefined): Promise<string[]> {
  const filters = JSON.stringify({ label: [`fenced.owner.process-id=${processId}`] })
  const path = `/containers/json?all=1&filters=${encodeURIComponent(filters)}`
  const { body } = await ask(path)
  return (body as { Names: string[] }[]).flatMap(({ Names }) => Names)
}

async function problem(): Promise<string | undefined> {
  try {
    for (const image of Object.values(images)) {
      const { status } = await ask(`/images/${image}/json`)
      if (status !== 200) return `the engine at ${host} has no image ${image}`
    }
    return undefined
  } catch (error) {
    return `no engine answers at ${host} (${error instanceof Error ? error.message : error})`
  }
}

function ask(path: string): Promise<{ status: number | undefined; body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: unknown }>()
  const socketPath = host.replace(/^unix:\/\//, '')
  request({ socketPath, path, timeout: 10_000 }, (response) => {
    json(response).then((body) => resolve({ status: response.statusCode, body }), reject)
  })
    .on('timeout', () => reject(new Error('it takes too long')))
    .on('error', reject)
    .end()
  return promise
}
