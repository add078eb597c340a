import { randomBytes } from 'node:crypto'
import type { FencedError } from '@fenced/core'
import { Cluster } from '../src/api/cluster.ts'
import { testCluster } from './requirements.ts'

/** The part of the API that a test speaks to itself. */
export interface TestApi {
  ask<Answer = unknown>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer>
}

/** As the administrator of the tests' cluster. */
async function testApi(): Promise<TestApi> {
  const cluster = await Cluster.find(testCluster)
  return {
    ask: (method, path, body) => {
      const signal = AbortSignal.timeout(60_000)
      return cluster.ask({ method, path, doing: 'testing', signal, ...(body && { body }) })
    },
  }
}

/** A namespace for one test file, which goes with its pods. */
export class TestNamespace {
  readonly name: string
  readonly api: TestApi

  private constructor(api: TestApi, name: string) {
    this.api = api
    this.name = name
  }

  static async create(labels: Readonly<Record<string, string>> = {}): Promise<TestNamespace> {
    const api = await testApi()
    const name = `fenced-test-${randomBytes(5).toString('hex')}`
    await api.ask('POST', '/api/v1/namespaces', { metadata: { name, labels } })
    const namespace = new TestNamespace(api, name)
    await namespace.#untilUsable()
    return namespace
  }

  /** Makes an object of it. */
  async make<Answer>(group: string, kind: string, body: object): Promise<Answer> {
    return this.api.ask('POST', `/${group}/namespaces/${this.name}/${kind}`, body)
  }

  /** A policy under which nothing leaves its pods, where the network keeps it. */
  async close(): Promise<void> {
    await this.make('apis/networking.k8s.io/v1', 'networkpolicies', {
      metadata: { name: 'closed' },
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    })
  }

  async pods(): Promise<string[]> {
    const path = `/api/v1/namespaces/${this.name}/pods`
    const { items } = await this.api.ask<{ items: { metadata: { name: string } }[] }>('GET', path)
    return items.map(({ metadata }) => metadata.name)
  }

  async remove(): Promise<void> {
    await this.api.ask('DELETE', `/api/v1/namespaces/${this.name}`)
  }

  /** Pods are refused until the cluster has made its account. */
  async #untilUsable(): Promise<void> {
    for (;;) {
      try {
        await this.api.ask('GET', `/api/v1/namespaces/${this.name}/serviceaccounts/default`)
        return
      } catch (error) {
        if ((error as FencedError).code === undefined) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
}
