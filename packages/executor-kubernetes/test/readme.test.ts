import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it, onTestFinished } from 'vitest'
import { TestNamespace } from './namespace.ts'
import { image, nodes, ownCluster, testCluster } from './requirements.ts'

it.skipIf(ownCluster.missing)('the first example of the README prints what it says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const blocks = extractCodeBlocks(readme)
  const program = blocks.find(({ language }) => language === 'typescript')?.code ?? ''
  const expected = blocks.find(({ language }) => language === 'text')?.code
  const namespace = await TestNamespace.create()
  onTestFinished(() => namespace.remove())
  await namespace.close()
  const pod = JSON.stringify({ image, imagePullPolicy: 'IfNotPresent', nodeSelector: nodes.closed })
  const here = program
    .replace("namespace: 'fenced'", `namespace: '${namespace.name}'`)
    .replace("pod: { image: 'python:3-slim' }", `pod: ${pod}`)
  const args = ['--conditions=@fenced/source', '--input-type=module-typescript', '--eval', here]
  const env = { ...process.env, KUBECONFIG: testCluster.kubeconfig }
  const output = execFileSync(process.execPath, args, { cwd: import.meta.dirname, env, encoding: 'utf8' })
  expect(output).toBe(`${expected}\n`)
})
