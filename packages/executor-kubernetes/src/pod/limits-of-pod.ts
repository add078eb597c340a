import type { LimitsInForce } from '@fenced/core'
import { codeContainerOf, type Pod } from './pod-types.ts'

/** Factors of a quantity (Kubernetes API, `Quantity`). */
const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** The limits of the first container of a pod that the cluster has admitted, and the limit of processes that Fenced sets in it. */
export function limitsOfPod(pod: Pod, processLimit: number | undefined): LimitsInForce {
  const { cpu, memory, 'ephemeral-storage': disk } = codeContainerOf(pod)?.resources?.limits ?? {}
  return {
    ...limit('memoryBytes', memory),
    ...limit('cpus', cpu),
    ...limit('diskBytes', disk),
    ...(processLimit === undefined ? {} : { pids: processLimit }),
  }
}

function limit(name: keyof LimitsInForce, quantity: string | undefined): LimitsInForce {
  const [, number, suffix = ''] = /^([\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(quantity ?? '') ?? []
  const factor = factors[suffix]
  return number === undefined || factor === undefined ? {} : { [name]: Number(number) * factor }
}
