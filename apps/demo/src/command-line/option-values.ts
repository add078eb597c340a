import type { JupyterConnectionInfo } from '@fenced/executor-jupyter'
import { InvalidArgumentError } from 'commander'
import type { ModelName } from '../model/choose-model.ts'

export function readSeconds(text: string): number {
  const seconds = Number(text.trim() || Number.NaN)
  if (!(seconds >= 0.001 && seconds <= 86_400)) {
    throw new InvalidArgumentError('It is a number of seconds, from 0.001 to 86400.')
  }
  return seconds
}

export function readPort(text: string): number {
  const port = Number(text.trim() || Number.NaN)
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new InvalidArgumentError('It is a number from 0 (any port that is free) to 65535.')
  return port
}

export function readDirectory(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is the path of a directory.')
  return text
}

export function readTask(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is what the model is asked to do.')
  return text
}

/** The first slash ends the provider: names of models have some as well. */
export function readModel(text: string): Omit<ModelName, 'baseUrl'> {
  const [, provider, modelId] = /^([^/\s]+)\/(\S+)$/.exec(text) ?? []
  if (provider === undefined || modelId === undefined) {
    throw new InvalidArgumentError('It is provider/name, such as ollama/qwen3.')
  }
  return { provider: provider.toLowerCase(), modelId }
}

export function readUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new InvalidArgumentError('It is an address such as http://localhost:8080/v1.')
  }
  return text
}

export function readExecutor(text: string): string {
  if (['local', 'docker', 'jupyter'].includes(text) || /[/\\]|\.[cm]?[jt]s$/.test(text)) return text
  throw new InvalidArgumentError('It is local, docker or jupyter, or the path of a module such as ./mine.ts.')
}

export function readApproval(text: string): string {
  if (!['ask', 'always', 'never'].includes(text)) {
    throw new InvalidArgumentError('It is ask, always or never.')
  }
  return text
}

/** As `jupyter server list` shows it. */
export function readServer(text: string): JupyterConnectionInfo {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It is an address such as http://127.0.0.1:8888/?token=...')
  }
  const token = url.searchParams.get('token')
  return {
    host: url.hostname,
    useHttps: url.protocol === 'https:',
    baseUrl: url.pathname,
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    ...(token === null ? {} : { token }),
  }
}

export function readIsolation(text: string): string {
  if (text !== 'none' && text !== 'bubblewrap') throw new InvalidArgumentError('It is none or bubblewrap.')
  return text
}

/** Also as pip takes them: the commas in `numpy>=1,<2` and `httpx[http2,socks]` are none of ours. */
export function readPackages(text: string): readonly string[] {
  const packages = text.split(/,(?![^[]*\])(?!\s*[<>=!~])/).map((name) => name.trim())
  if (packages.includes(''))
    throw new InvalidArgumentError('It is names of packages, with commas in between.')
  return packages
}
