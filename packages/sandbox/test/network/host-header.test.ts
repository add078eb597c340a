import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { readRequests } from './http-requests.fixture.ts'
import { startProxy } from './proxy.fixture.ts'
import { RecordingHost } from './recording-host.fixture.ts'

const names = ['API.Test', 'api.test.', '\xaapi.test']
const addresses = ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '[::ffff:7f00:1]', '[::FFFF:127.0.0.1]']

it('writes `Host` as it understood it, however the program spells it', async ({ everyRow }) => {
  await using host = new RecordingHost()
  const port = await host.listen()
  await using proxy = await startProxy(port)
  const sentHosts = async (target: string, header: string) => {
    host.connections.length = 0
    const program = connect(proxy.port, '127.0.0.1')
    const words = `GET http://${target}/ HTTP/1.1\r\nhOsT: ${header}\r\nConnection: close, host\r\n\r\n`
    program.write(Buffer.from(words, 'latin1'))
    await text(program)
    const [bytes] = host.connections
    return readRequests(bytes ?? Buffer.alloc(0)).requests.map((request) => request.host)
  }
  await everyRow(
    [
      ...names.map((name) => ['api.test', name] as const),
      ...addresses.map((name) => ['127.0.0.1', name] as const),
    ],
    async (name, written) => {
      expect(await sentHosts(`${name}:${port}`, `${written}:${port}`)).toEqual([`${name}:${port}`])
    },
  )
})
