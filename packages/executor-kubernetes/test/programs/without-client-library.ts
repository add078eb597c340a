import { registerHooks } from 'node:module'
import { Cluster } from '../../src/api/cluster.ts'

// As if the optional peer were not installed.
registerHooks({
  resolve(name, context, next) {
    return next(name === '@kubernetes/client-node' ? 'not-installed' : name, context)
  },
})

const [, , kubeconfig] = process.argv
const cluster = await Cluster.find({ kubeconfig })
const asked = cluster.ask({ method: 'GET', path: '/', doing: 'testing', signal: AbortSignal.timeout(60_000) })
const { code, data } = Object(await asked.catch((error: unknown) => error))
process.stdout.write(JSON.stringify({ code, data }))
