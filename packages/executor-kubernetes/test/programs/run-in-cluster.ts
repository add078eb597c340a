// Runs a block in the cluster and the namespace that the client finds by itself, as in a pod.
import { KubernetesCommandLineCodeExecutor } from '../../src/index.ts'

const { image } = JSON.parse(process.argv[2] ?? '{}')
const executor = new KubernetesCommandLineCodeExecutor({
  network: 'open',
  pod: { image, imagePullPolicy: 'IfNotPresent' },
})
try {
  const { output } = await executor.execute([{ language: 'sh', code: 'hostname' }])
  process.stdout.write(output)
} finally {
  await executor.stop()
}
