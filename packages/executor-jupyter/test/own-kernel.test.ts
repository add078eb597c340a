// @module-tag all

import { describe, expect, test } from 'vitest'
import { directExecutor, jupyter, run } from './support.ts'

describe.skipIf(jupyter.missing)('a kernel of our own', () => {
  test('begins as ipykernel’s launcher does, and has a debugger for programs that load it', async () => {
    await using executor = directExecutor()
    const { output } = await run(
      executor,
      'import os, sys',
      "print(os.path.basename(sys.argv[0]), sys.argv[1], 'debugpy' in sys.modules)",
      'import debugpy',
      'print(callable(debugpy.breakpoint))',
    )
    expect(output).toBe('ipykernel_launcher.py -f False\nTrue\n')
  })

  test('can import a submodule of jupyter_client first, as a new interpreter can', async () => {
    await using executor = directExecutor()
    const { output } = await run(
      executor,
      'from jupyter_client.manager import start_new_kernel',
      'import sys, jupyter_client',
      "print(jupyter_client.KernelManager is sys.modules['jupyter_client.manager'].KernelManager)",
    )
    expect(output).toBe('True\n')
  })

  test('runs the cells that come while another event loop is in their thread', async () => {
    await using executor = directExecutor()
    await run(executor, '%gui asyncio')
    expect((await run(executor, "print('in the loop')")).output).toBe('in the loop\n')
  })

  test('publishes in its order what functions show and print that run after a cell', async () => {
    await using executor = directExecutor()
    await run(
      executor,
      'from IPython.display import display',
      'def after(*_):',
      "    print('after')",
      "    display('shown')",
      "    print('last')",
      "get_ipython().events.register('post_run_cell', after)",
    )
    expect((await run(executor, "print('cell')")).output).toBe("cell\nafter\n'shown'\nlast\n")
  })

  test('sends one message for a short cell, which has its output', async () => {
    await using executor = directExecutor()
    await run(
      executor,
      'import sys',
      'session, kinds = get_ipython().kernel.session, []',
      'send = session.send',
      'def note(stream, kind, *more, **named):',
      "    kinds.append(kind if isinstance(kind, str) else kind['msg_type'])",
      '    return send(stream, kind, *more, **named)',
      'session.send = note',
    )
    const sent: string[] = []
    // On a busy machine a cell can take longer than a short one may.
    for (let round = 0; round < 5; round++) {
      await run(executor, 'kinds.clear()')
      const short = await run(executor, "print('ä'); print('wrong', file=sys.stderr)")
      expect(short.blocks[0]).toMatchObject({ stdout: 'ä\n', stderr: 'wrong\n' })
      sent.push((await run(executor, 'print(*kinds)')).output)
    }
    expect(sent).toContain('execute_reply execute_reply\n')
  })

  test('keeps all that cells print while a thread of an earlier one publishes without a pause', async () => {
    await using executor = directExecutor()
    await run(
      executor,
      'import sys, threading, time',
      'go_on = True',
      'def publish():',
      '    while go_on: print("thread", file=sys.stderr, flush=True); time.sleep(0.0003)',
      'thread = threading.Thread(target=publish); thread.start()',
    )
    for (let round = 0; round < 300; round++) {
      const { blocks } = await run(executor, `print(${round})`)
      expect(blocks[0]?.stdout).toBe(`${round}\n`)
    }
    expect((await run(executor, 'go_on = False; thread.join()')).status).toBe('ok')
  })

  test('runs a shell line when its own stdout is closed', async () => {
    await using executor = directExecutor()
    expect((await run(executor, 'import os; os.close(1)', '!echo shell; echo error >&2')).output).toBe(
      'shell\nerror\n',
    )
  })
})
