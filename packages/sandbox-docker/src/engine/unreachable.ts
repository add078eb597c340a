import { FencedError } from '@fenced/core'
import { adviceFor } from './advice.ts'
import type { Failure } from './fault.ts'
import type { HostEnvironment } from './host-environment.ts'

/** What to tell when none of the addresses can be used: every one with its reason, and what to type next. */
export function unreachable(
  failures: readonly Failure[],
  named: boolean,
  host: HostEnvironment,
): FencedError {
  const what = named ? ofNamed(failures) : ofSearch(failures)
  const causes = failures.map(({ fault }) => fault)
  const { next, command } = adviceFor(failures, host)
  return new FencedError({
    code: 'ENGINE_UNREACHABLE',
    message: `${what}${next}`,
    data: { ...dataOf(failures), ...(command === undefined ? {} : { command }) },
    cause: causes.length === 1 ? causes[0] : new AggregateError(causes),
  })
}

/** The values of each failure, in order. A single failure also adds the values of its fault. */
function dataOf(failures: readonly Failure[]): Record<string, string> {
  const [first, second] = failures
  return {
    engine: failures.map(({ endpoint }) => endpoint.address).join(', '),
    origin: failures.map(({ endpoint }) => endpoint.origin).join(', '),
    fault: failures.map(({ fault }) => fault.kind).join(', '),
    ...(second === undefined ? first?.fault.data : {}),
  }
}

function ofNamed(failures: readonly Failure[]): string {
  return `The Docker engine at ${failures.map(inWords).join()}. No other engine was tried, because you named this engine. `
}

function ofSearch(failures: readonly Failure[]): string {
  const absent = failures
    .filter(({ fault }) => fault.kind === 'absent')
    .map(({ endpoint }) => endpoint.address)
  const there = failures.filter(({ fault }) => fault.kind !== 'absent')
  return [
    'No Docker engine answers. Tried:\n',
    ...there.map((failure) => `- ${inWords(failure)}\n`),
    ...(absent.length === 0 ? [] : [`- no such socket: ${absent.join(', ')}\n`]),
  ].join('')
}

function inWords({ endpoint, fault }: Failure): string {
  return `${endpoint.address} (${endpoint.origin}): ${fault.message}`
}
