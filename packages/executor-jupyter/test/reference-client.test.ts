// @module-tag nightly

import { stripVTControlCharacters } from 'node:util'
import { JupyterCodeExecutor, LocalJupyterServer } from '@fenced/executor-jupyter'
import type { Kernel, KernelManager, KernelMessage } from '@jupyterlab/services'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { KernelChannels } from '../src/channels/kernel-channels.ts'
import { openWebSocketChannels } from '../src/channels/websocket-channels.ts'
import { newRequest, type KernelMessage as OurMessage } from '../src/protocol/message.ts'
import { RestClient } from '../src/server/rest-client.ts'
import { type ServerAddress, serverAddress } from '../src/server/server-address.ts'
import { kernelManager, silenceConsole } from './kernel-manager.ts'
import { jupyter, jupyterPython, python } from './support.ts'

/** What a kernel can say, one kind after the other. */
const cells: readonly (readonly [what: string, code: string])[] = [
  ['text on both streams', "import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('größe 🙂')"],
  ['a value', '6 * 7'],
  ['nothing', ''],
  ['only a comment', '# nothing'],
  ['two displays and a value', "from IPython.display import *\ndisplay(1, HTML('<b>2</b>'))\n'3'"],
  ['a display that is updated', "shown = display('a', display_id=True)\nshown.update('b')"],
  ['output that is cleared', "print('a')\nclear_output()\nprint('b')\nclear_output(wait=True)\nprint('c')"],
  ['an error', "print('before')\n1 / 0"],
  ['a syntax error', 'def f(:'],
  ['the end of the program', 'import sys\nsys.exit(3)'],
  ['a picture', "Image(data=b'\\x89PNG\\r\\n\\x1a\\n' + bytes(3_000), format='png')"],
  ['metadata', "display({'text/plain': 'x'}, metadata={'text/plain': {'a': 1}}, raw=True)"],
  ['a shell', '!echo shell; echo error >&2'],
  ['a pager', 'print?'],
  ['a message of a megabyte', "print('x' * 1_000_000)"],
  ['many lines', 'for n in range(300): print(n, flush=True)'],
  ['a question', "input('name? ')"],
  ['a comm', "from comm import create_comm\ncreate_comm(target_name='t', data={'a': [1, None]}).close()"],
]

describe.skipIf(jupyter.missing)('beside the client of JupyterLab', () => {
  const server = new LocalJupyterServer({ python: jupyterPython })
  let address: ServerAddress
  let manager: KernelManager
  silenceConsole()
  beforeAll(async () => {
    const info = await server.connect()
    address = serverAddress(info)
    manager = kernelManager(info)
  })
  afterAll(async () => {
    manager.dispose()
    await server.stop()
  })

  describe('at the same kernel', () => {
    let theirs: Kernel.IKernelConnection
    let ours: KernelChannels
    const seenByThem: Seen[] = []
    const seenByUs: Seen[] = []
    beforeAll(async () => {
      const rest = new RestClient(address)
      const kernelId = await rest.startKernel({ name: 'python3' })
      await rest.close()
      const listener = {
        message: (incoming: { read(): OurMessage | undefined }) => {
          const message = incoming.read()
          if (message !== undefined) seenByUs.push(seen({ ...message, parent_header: message.parent }))
        },
        lost: (error: unknown) => expect.unreachable(String(error)),
        restored: () => expect.unreachable('the connection was lost'),
      }
      const target = { address, kernelId, reconnecting: { keepAliveMs: 20_000, reconnectTimeoutMs: 1_000 } }
      ours = await openWebSocketChannels(target, listener, new AbortController().signal)
      theirs = manager.connectTo({ model: { id: kernelId, name: 'python3' } })
      theirs.anyMessage.connect((_, { msg, direction }) => {
        if (direction === 'recv') seenByThem.push(seen(msg as unknown as AnyMessage))
      })
      await theirs.info
    })
    afterAll(async () => {
      await ours.close()
      await theirs.shutdown()
    })

    test.each(cells)('each message is the same when they ask: %s', async (_, code) => {
      const future = theirs.requestExecute({ code, allow_stdin: false })
      const id = future.msg.header.msg_id
      await future.done
      await vi.waitUntil(() => isIdle(seenByUs, id), { timeout: 120_000 })
      const [known, expected] = [broadcast(seenByUs, id), broadcast(seenByThem, id)]
      expect(known.length).toBeGreaterThan(2)
      expect(known).toEqual(expected)
    })

    test.each(cells)('each message is the same when we ask: %s', async (_, code) => {
      const content = { code, silent: false, store_history: true, allow_stdin: false, stop_on_error: true }
      const request = newRequest(ours.session, { channel: 'shell', type: 'execute_request', content })
      const id = request.header.msg_id
      await ours.send(request)
      await vi.waitUntil(() => isIdle(seenByUs, id) && isIdle(seenByThem, id), { timeout: 120_000 })
      expect(broadcast(seenByUs, id)).toEqual(broadcast(seenByThem, id))
    })
  })

  test('the same cells come to the same streams, results, errors and execution counts', async () => {
    const theirs = await manager.startNew({ name: 'python3' })
    onTestFinished(() => theirs.shutdown())
    await using executor = new JupyterCodeExecutor({ server, maxOutputBytes: 2 ** 24 })
    for (const [what, code] of cells.filter(([what]) => ownWays[what] === undefined)) {
      const expected = await outcomeOf(theirs, code)
      const result = await executor.execute([python(code)])
      const [block] = result.blocks
      const known = {
        isOk: result.status === 'ok',
        stdout: block?.stdout,
        stderr: block?.stderr,
        results: block?.results,
      }
      expect(known, what).toEqual(expected)
    }
  })
})

/** Cells whose outcome an executor has in another way, and why. */
const ownWays: Readonly<Record<string, string>> = {
  nothing: 'an empty block is not run',
  'the end of the program': 'it is one line of the output, and an exit code',
  'a display that is updated': 'it is one result',
  'output that is cleared': 'it is removed',
  'a pager': 'it is text',
  'a shell': 'lines end as everywhere, not as on a terminal',
  'a question': 'the traceback of the kernel’s own code is as long as its version likes',
}

interface AnyMessage {
  readonly channel: string
  readonly header: { readonly msg_id: string; readonly msg_type: string }
  readonly parent_header: { readonly msg_id?: string }
  readonly metadata: unknown
  readonly content: unknown
}

type Seen = Pick<AnyMessage, 'channel' | 'metadata' | 'content'> & {
  readonly type: string
  readonly id: string
  readonly parent: string | undefined
}

/** What both have of a message; they name its parts differently. */
function seen({ channel, header, parent_header: parent, metadata, content }: AnyMessage): Seen {
  return {
    ...{ channel, type: header.msg_type, id: header.msg_id, parent: parent.msg_id, metadata },
    content: inText(content),
  }
}

/** The text of a stream is bytes to us, until the next message is read. */
function inText(content: unknown): unknown {
  const { text } = content as { text?: unknown }
  return text instanceof Uint8Array ? { ...(content as object), text: Buffer.from(text).toString() } : content
}

/** What a kernel says to all about a request. */
function broadcast(all: readonly Seen[], id: string): Seen[] {
  return all.filter(({ channel, parent }) => channel === 'iopub' && parent === id)
}

function isIdle(all: readonly Seen[], id: string): boolean {
  return broadcast(all, id).some(
    ({ type, content }) =>
      type === 'status' && (content as { execution_state: string }).execution_state === 'idle',
  )
}

async function outcomeOf(kernel: Kernel.IKernelConnection, code: string) {
  const future = kernel.requestExecute({ code, allow_stdin: false })
  const outcome = { isOk: true, stdout: '', stderr: '', results: [] as unknown[] }
  future.onIOPub = ({ header, content }: KernelMessage.IIOPubMessage) => {
    const { name, text, data, traceback } = content as Record<string, string> & { traceback?: string[] }
    if (header.msg_type === 'stream') outcome[name as 'stdout' | 'stderr'] += text
    if (/^(display_data|execute_result)$/.test(header.msg_type)) outcome.results.push(data)
    // It counts: `Cell In[3], line 2`.
    if (traceback !== undefined)
      outcome.stderr += `${stripVTControlCharacters(traceback.join('\n')).trimEnd()}\n`
  }
  const { content } = await future.done
  return { ...outcome, isOk: content.status === 'ok' }
}
