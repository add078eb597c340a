import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it, onTestFinished } from 'vitest'
import { TestNamespace } from './namespace.ts'
import { image, nodes, ownCluster, testCluster } from './requirements.ts'

it.skipIf(ownCluster.missing).each(['../README.md', '../../../docs/kubernetes.md', '../../../docs/pools.md'])(
  'the first example of %s prints what it says',
  async (page) => {
    const blocks = extractCodeBlocks(readFileSync(new URL(page, import.meta.url), 'utf8'))
    const index = blocks.findIndex(({ code }) => code.includes("from '@fenced/executor-kubernetes'"))
    const [program, expected] = blocks.slice(index)
    const namespace = await TestNamespace.create()
    onTestFinished(() => namespace.remove())
    await namespace.close()
    const pod = JSON.stringify({ image, imagePullPolicy: 'IfNotPresent', nodeSelector: nodes.closed })
    const here = (program?.code ?? '')
      .replace(/\n *pod: \{ image: 'python:3-slim' \},/, '')
      .replace("namespace: 'fenced'", `namespace: '${namespace.name}', pod: ${pod}`)
    const args = ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', here]
    const env = { ...process.env, KUBECONFIG: testCluster.kubeconfig }
    const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, env, encoding: 'utf8' })
    expect(output).toBe(`${expected?.code}\n`)
  },
)
