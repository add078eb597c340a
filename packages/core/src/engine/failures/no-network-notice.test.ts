import { expect, test } from 'vitest'
import { noNetworkNotice } from './failure-notices.ts'

test.each([
  'socket.gaierror: [Errno -3] Temporary failure in name resolution',
  'OSError: [Errno 101] Network is unreachable',
  'curl: (6) Could not resolve host: example.com',
  'Error: getaddrinfo ENOTFOUND example.com',
  'code: "ENOTFOUND",',
  'socket.gaierror: [Errno 11001] getaddrinfo failed',
  'NewConnectionError: Failed to establish a new connection',
])('%j is how a missing network looks', (output) => {
  expect(noNetworkNotice(output)).toMatchObject({ code: 'no-network' })
})

test.each([
  "ModuleNotFoundError: No module named 'rich'",
  "FileNotFoundError: [Errno 2] No such file or directory: 'x'",
  'HTTP 404 not found',
  'raise ValueError("getaddrinfo was not called")',
  '',
])('%j is not', (output) => {
  expect(noNetworkNotice(output)).toBeUndefined()
})
