// @module-tag all

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { visible } from '@fenced/errors/text'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import {
  answerable,
  decision,
  eventually,
  launchBrowser,
  openPage,
  press,
  say,
  scroll,
  violations,
} from './browser.ts'
import { bubblewrap, chromium, jupyter, python } from './requirements.ts'
import {
  httpServer,
  kernel,
  lastText,
  local,
  makeWheel,
  networkByList,
  program,
  sandboxed,
  serveInProcess,
  serveTest,
  withWheels,
} from './served.ts'

// Each test has a server and a page of its own, and waits for one of them most of the time.
describe.skipIf(chromium.missing || python.missing)('the page in a browser', { concurrent: true }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('shows what would run and where, runs it when it is approved, and shows what came of it', async () => {
    await using server = await serveTest({ script: [program('print("6 times 7 is", 6 * 7)'), 'It is 42.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'How much is 6 times 7?')
    await eventually(async () =>
      expect(await decision(page).textContent()).toContain('on this machine, not isolated'),
    )
    expect(await decision(page).textContent()).toMatch(/SHA-256[0-9a-f]{64}/)
    await press(page, 'a')
    await page.getByText('It is 42.').waitFor()
    expect(await page.getByRole('log').textContent()).toContain('6 times 7 is 42')
    expect(await page.getByText('finished').count()).toBe(1)
    expect(await page.getByText(/ of processor time, .* of memory/).count()).toBe(1)
    // The token is not left where somebody could read it.
    expect(page.url()).not.toContain('token')
    expect(open.faults).toEqual([])
  })

  it('sends nothing on the Enter that ends the composition of an input method', async () => {
    await using server = await serveTest({ script: ['Hello.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    const task = page.getByRole('textbox', { name: 'Task' })
    await task.fill('こんにちは')
    await task.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    await task.press('End')
    expect(await task.inputValue()).toBe('こんにちは')
    await task.press('Enter')
    await page.getByText('Hello.').waitFor()
    expect(server.model.prompts.length).toBe(1)
    expect(open.faults).toEqual([])
  })

  it('folds the reasoning of a model, which begins with its answer or at a tag', async () => {
    const script = [
      'First **draft**.\n</think>\n\nIt is `</think>`.\n\n<think>\nSecond draft.\n</think>\n\nDone.',
    ]
    await using server = await serveTest({ script })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Think.')
    await page.getByText('Done.').waitFor()
    const drafts = [page.getByText('First draft.'), page.getByText('Second draft.')]
    expect(await Promise.all(drafts.map((draft) => draft.isVisible()))).toEqual([false, false])
    for (const summary of await page.getByText('Reasoning', { exact: true }).all()) await summary.click()
    expect(await Promise.all(drafts.map((draft) => draft.isVisible()))).toEqual([true, true])
    expect(await page.getByText('It is </think>.').isVisible()).toBe(true)
    expect(await violations(page)).toEqual([])
    expect(open.faults).toEqual([])
  })

  it('denies with a reason that the model reads', { tags: 'nightly' }, async () => {
    await using server = await serveTest({
      script: (call, prompt) =>
        call === 0
          ? program('import shutil; shutil.rmtree("/nowhere")')
          : lastText(prompt).includes('Never delete anything')
            ? 'Then I leave it as it is.'
            : 'I know of no reason.',
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Make room.')
    await decision(page).waitFor()
    await press(page, 'd')
    await page.getByRole('textbox', { name: /The model reads it/ }).fill('Never delete anything.')
    await answerable(page)
    await page.keyboard.press('Enter')
    await page.getByText('Then I leave it as it is.').waitFor()
    await page.getByText('Denied: Never delete anything.').waitFor()
    expect(open.faults).toEqual([])
  })

  it('runs what was edited, and keeps the difference to see', { tags: 'nightly' }, async () => {
    await using server = await serveTest({ script: [program('print("first")'), 'Seen.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Print something.')
    await decision(page).waitFor()
    await press(page, 'e')
    const editor = page.getByRole('textbox', { name: /Program 1/ })
    await editor.fill('print("second")')
    await editor.press('Escape')
    expect(await page.getByRole('region', { name: 'Changes' }).textContent()).toContain('print("second")')
    await page.getByRole('button', { name: 'Run edited code' }).click()
    await page.getByText('Seen.').waitFor()
    expect(await page.getByRole('log').textContent()).toContain('second')
    await page.getByText('Edited by a person').click()
    expect(await page.locator('.diff .removed').textContent()).toContain('print("first")')
    expect(open.faults).toEqual([])
  })

  it.skipIf(bubblewrap.missing)(
    'says which option gives an isolated program the file that it lacks',
    { tags: 'nightly' },
    async () => {
      const code = 'open("/home/nobody/data.csv")'
      await using server = await serveTest({
        script: [program(code), 'It is not there.'],
        executors: [sandboxed],
      })
      await using open = await openPage(browser, server)
      const { page } = open
      await say(page, 'Read it.')
      await decision(page).waitFor()
      await press(page, 'a')
      await page.getByText('It is not there.').waitFor()
      expect(await page.locator('.notice[data-code=outside-work-dir]').textContent()).toContain(
        '/home/nobody/data.csv',
      )
      expect(open.faults).toEqual([])
    },
  )

  it('stops a program, and the model reads that with the next message', { tags: 'nightly' }, async () => {
    await using server = await serveTest({
      script: (call, prompt) =>
        call === 0
          ? program('import time\nprint("begun", flush=True)\ntime.sleep(600)')
          : `I read: ${JSON.stringify(prompt)}`,
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Wait.')
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByRole('log').getByText('begun').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await say(page, 'What happened?')
    await page.getByText(/I read: .*begun.*What happened/).waitFor()
    expect(open.faults).toEqual([])
  })

  it('highlights a program while the model writes it, and makes a card of it at its end', {
    tags: 'nightly',
  }, async () => {
    const rest = Promise.withResolvers<void>()
    await using server = await serveTest({
      script: [program('import math\nprint(math.pi)'), 'End.'],
      pause: { before: 'math.pi', until: rest.promise },
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Write.')
    await page.locator('.answer[data-state=open] .t-kwd').getByText('import').waitFor()
    expect(await page.locator('.card').count()).toBe(0)
    rest.resolve()
    await decision(page).waitFor()
    expect(await page.locator('.card .t-kwd').first().textContent()).toBe('import')
    expect(open.faults).toEqual([])
  })

  it('runs a program again without a question, and stops at one', { tags: 'nightly' }, async () => {
    const code =
      'from pathlib import Path\nlog = Path("log")\nlog.open("a").write("x")\nprint(len(log.read_text()), "times")'
    await using server = await serveTest({
      script: (call) => [program(code), 'Ran.', program('print("never")')][call] ?? 'Nothing more.',
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Count.')
    await decision(page).waitFor()
    await press(page, 'a')
    await page.getByText('Ran.').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('2 times').waitFor()
    await eventually(async () => expect(await page.getByText('finished').count()).toBe(2))
    await say(page, 'Again.')
    await decision(page).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    expect(await decision(page).count()).toBe(0)
    expect(open.faults).toEqual([])
  })

  it('says why an executor is not available and what repairs it, and leaves the choice of another to the person', async () => {
    const missing = {
      ...{ id: 'docker', name: 'A container' },
      createExecutor: () => Promise.reject(new Error('There is none.')),
      check: async () => ({ problem: 'No engine answers.', repair: 'systemctl start docker' }),
    }
    await using server = await serveTest({ executors: [missing, local], script: ['Hello.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await page.getByText('One executor is not available').click()
    expect(await page.locator('.problems dd').textContent()).toBe('No engine answers. systemctl start docker')
    expect(await page.getByLabel('Runs in').inputValue()).toBe('docker')
    expect(await page.getByRole('alert').textContent()).toContain('A container is not available.')
    await page.getByLabel('Task').fill('Hello?')
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true)
    await page.getByLabel('Task').press('Enter')
    await page.getByRole('alert').filter({ hasText: 'No engine answers.' }).waitFor()
    expect(await page.getByLabel('Runs in').inputValue()).toBe('docker')
    await page.getByLabel('Runs in').selectOption('local')
    await say(page, 'Hello?')
    await page.getByText('Hello.', { exact: true }).waitFor()
    expect(open.faults).toEqual([])
  })

  it('shows the same in two tabs, and after a reload in the middle', { tags: 'nightly' }, async () => {
    await using server = await serveTest({
      script: [
        program('import time\nfor i in range(40):\n    print("line", i, flush=True)\n    time.sleep(0.05)'),
        'Done.',
      ],
    })
    await using first = await openPage(browser, server)
    await say(first.page, 'Count.')
    await decision(first.page).waitFor()
    await using second = await openPage(browser, server)
    await second.page.locator('.sidebar .title').click()
    await decision(second.page).getByRole('button', { name: /Run/ }).click()
    await first.page.getByText('line 5').waitFor()
    await first.page.reload()
    for (const { page, faults } of [first, second]) {
      await page.getByText('Done.').waitFor()
      const log = page.getByRole('log')
      await log.waitFor()
      // Only the lines in view are in the document.
      await eventually(async () => {
        await scroll(log, 'end')
        expect(((await log.textContent()) ?? '').match(/line 39/g)).toHaveLength(1)
      })
      expect(faults).toEqual([])
    }
  })

  it('continues after the server was killed in the middle and started again', async ({ onTestFinished }) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }))
    const code = [
      'import os, time',
      'isFirst = not os.path.exists("begun")',
      'open("begun", "w").close()',
      'print("begun" if isFirst else "and again", flush=True)',
      'time.sleep(5 if isFirst else 0)',
    ]
    await using before = await serveInProcess(directory, program(code.join('\n')))
    const { port } = new URL(before.origin)
    await using open = await openPage(browser, before)
    const { page } = open
    await say(page, 'Begin.')
    await decision(page).waitFor()
    await press(page, 'a')
    await page.getByRole('log').getByText('begun').waitFor()
    await before.kill()
    await page.getByText('The server does not answer').waitFor()
    await using _again = await serveTest({
      script: ['At its end.'],
      directory,
      port: Number(port),
    })
    await page.getByRole('button', { name: 'Continue' }).click()
    // It has run in part: a person decides whether it runs once more.
    await decision(page).waitFor()
    await press(page, 'a')
    await page.getByText('At its end.').waitFor()
    expect(await page.getByRole('log').textContent()).toBe('and again')
    expect(open.faults).toEqual([expect.stringContaining('ERR_')])
  })

  it('continues after an answer such as 502, behind which the browser does not connect again', {
    tags: 'nightly',
  }, async () => {
    await using server = await serveTest({ script: ['I am here.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    let connections = 0
    await page.route('**/events?*', (route) =>
      connections++ === 0 ? route.fulfill({ status: 502 }) : route.fallback(),
    )
    await say(page, 'Hello?')
    await page.getByText('The server does not answer').waitFor()
    await page.getByText('I am here.').waitFor()
    await page.getByText('The server does not answer').waitFor({ state: 'hidden' })
    expect([connections, open.faults]).toEqual([2, [expect.stringContaining('502')]])
  })

  it('remembers an answer for the scope that was named, until it is taken back', {
    tags: 'nightly',
  }, async () => {
    await using server = await serveTest({
      script: (call) => (call % 2 === 0 ? program(`print("run", ${call})`) : `Answer ${call}.`),
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'First.')
    await decision(page)
      .getByRole('button', { name: /Always/ })
      .click()
    await page.getByRole('button', { name: /All code of this conversation, on this machine/ }).click()
    await page.getByText('Answer 1.').waitFor()
    await say(page, 'Second.')
    await page.getByText('Answer 3.').waitFor()
    await page.getByText('Not asked: an earlier answer applies').waitFor()
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' })
    await say(page, 'Third.')
    await decision(page).waitFor()
    expect(open.faults).toEqual([])
  })

  it.skipIf(bubblewrap.missing)(
    'asks about connections that are not in the list, and shows all of them',
    async () => {
      await using target = await httpServer('answered')
      const get = `import os, urllib.error, urllib.request
for name in ('no_proxy', 'NO_PROXY'): os.environ.pop(name, None)
def get(host):
    try: print(host, urllib.request.urlopen(f'http://{host}:${target.port}/').read().decode())
    except urllib.error.HTTPError as error: print(host, error.code, error.read().decode())
`
      await using server = await serveTest({
        script: (call) =>
          call % 2 === 0
            ? program(
                call === 0
                  ? `${get}get('127.0.0.1')\nfor _ in range(3): get('localhost')`
                  : `${get}get('localhost')`,
              )
            : `Answer ${call}.`,
        executors: [networkByList(target.port)],
      })
      await using open = await openPage(browser, server)
      const { page } = open
      await say(page, 'Fetch it.')
      await decision(page).waitFor()
      expect(await decision(page).textContent()).toContain('only api.test, 127.0.0.1/32')
      await press(page, 'a')
      const asked = decision(page).filter({ hasText: 'Allow this connection?' })
      await asked.waitFor()
      expect(await asked.textContent()).toContain(`localhost, port ${target.port}`)
      expect(await page.getByText('waits for your decision').count()).toBe(1)
      expect(await violations(page)).toEqual([])
      await asked.getByRole('button', { name: 'Allow once' }).click()
      await eventually(async () =>
        expect(await page.getByRole('log').textContent()).toContain('localhost answered'),
      )
      await asked.waitFor()
      await press(page, 'd')
      await page.getByRole('textbox', { name: /The model reads it/ }).fill('Not there.')
      await answerable(page)
      await page.keyboard.press('Enter')
      await eventually(async () =>
        expect(await page.getByRole('log').textContent()).toMatch(/localhost 403 .*Not there\./),
      )
      await asked.getByRole('button', { name: /Always/ }).click()
      await page.getByRole('button', { name: /All connections of this conversation to localhost/ }).click()
      await page.getByText('Answer 1.').waitFor()
      const connections = page.getByRole('list', { name: 'Connections' }).getByRole('listitem')
      expect(await connections.allTextContents()).toEqual([
        expect.stringMatching(/127\.0\.0\.1:\d+ allowed, \d+ bytes sent, \d+ bytes received/),
        expect.stringMatching(/localhost:\d+ allowed, \d+ bytes sent/),
        expect.stringMatching(/localhost:\d+ refused: nothing went out \(Not there\.\)/),
        expect.stringMatching(/localhost:\d+ allowed, \d+ bytes sent/),
      ])
      await say(page, 'Again.')
      await decision(page).getByRole('button', { name: /^Run/ }).click()
      await page.getByText('Answer 3.').waitFor()
      expect(await page.getByText('Connects without asking: localhost').count()).toBe(1)
      await page.getByRole('button', { name: 'Take back' }).click()
      await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' })
      expect(open.faults).toEqual([])
    },
  )

  it.skipIf(jupyter.missing)('gives a program in a kernel the lines that a person answers', async () => {
    const code = [
      'name = input("Your <b>name</b>? ")',
      'from getpass import getpass',
      'print(name, len(getpass("Key: ")))',
      'try: input("More? ")',
      'except EOFError: print("nothing more")',
    ]
    await using server = await serveTest({
      script: (call, prompt) => (call === 0 ? program(code.join('\n')) : `I read: ${lastText(prompt)}`),
      executors: [kernel],
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Ask me.')
    await decision(page).getByRole('button', { name: /^Run/ }).click()
    const asked = decision(page).filter({ hasText: 'The program asks' })
    await asked.getByText('Your <b>name</b>?').waitFor()
    await page.getByText('waits for your answer').waitFor()
    expect(await violations(page)).toEqual([])
    // The field has the focus: what is typed goes there.
    await page.keyboard.type('Ada d')
    await answerable(page)
    await page.keyboard.press('Enter')
    await asked.getByText('Key:').waitFor()
    await asked.getByLabel('Answer').fill('hunter2')
    expect(await asked.getByLabel('Answer').getAttribute('type')).toBe('password')
    await asked.getByRole('button', { name: 'Answer', exact: true }).click()
    await asked.getByText('More?').waitFor()
    await asked.getByRole('button', { name: /No answer/ }).click()
    await page.getByRole('textbox', { name: /The model reads it/ }).fill('That is all.')
    await answerable(page)
    await page.keyboard.press('Enter')
    await page.getByText(/I read: /).waitFor()
    const output = (await page.getByRole('log').textContent()) ?? ''
    expect(output).toContain('Your <b>name</b>? Ada dKey: Ada d 7More? nothing more')
    // As a notice, and in what the model read.
    expect(await page.getByText('It got no answer: That is all.').count()).toBe(2)
    expect(await page.content()).not.toContain('hunter2')
    expect(open.faults).toEqual([])
  })

  it('shows how packages of a conversation are installed, and refuses what is none', {
    tags: 'nightly',
  }, async () => {
    const seen = Promise.withResolvers<void>()
    await using server = await serveTest({
      script: [program('import fenced_greeting; print(fenced_greeting.value)'), 'Installed.'],
      executors: [withWheels(seen.promise)],
    })
    const wheel = makeWheel(server.directory)
    await using open = await openPage(browser, server)
    const { page } = open
    await page.getByLabel('Packages').fill('-r /etc/passwd')
    await say(page, 'Greet.')
    await page.getByRole('alert').filter({ hasText: 'as pip takes it' }).waitFor()
    await page.getByLabel('Packages').fill(wheel)
    await say(page, 'Greet.')
    await page.getByRole('progressbar', { name: `Installing ${wheel}` }).waitFor()
    expect(await violations(page)).toEqual([])
    seen.resolve()
    await decision(page).getByRole('button', { name: /^Run/ }).click()
    await page.getByText('Installed.').waitFor()
    expect(await page.getByRole('log').textContent()).toContain('42')
    expect(await page.locator('.header').textContent()).toContain(`with ${wheel}`)
    // What was refused first has a status of HTTP.
    expect(open.faults).toEqual([expect.stringContaining('400')])
  })

  it('names what a program can call and see, asks about its calls, and shows the text that it writes', {
    tags: 'nightly',
  }, async () => {
    const code = 'import tools\nopen("notes.txt", "w").write(tools.lookup(word="fence"))'
    await using server = await serveTest({
      script: (call) => (call % 2 === 0 ? program(code) : `Answer ${call}.`),
      tools: {
        lookup: {
          description: 'Looks a word up.',
          needsApproval: true,
          execute: ({ word }: { word: string }) => `${word}: posts and boards`,
        },
      },
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Look it up.')
    await decision(page).getByText('it can call lookup').waitFor()
    await decision(page).getByText('which is empty').waitFor()
    await press(page, 'a')
    await page.getByText('A program (line 2) wants to call lookup.').waitFor()
    await press(page, 'a')
    await page.getByText('Answer 1.').waitFor()
    const calls = page.getByRole('list', { name: 'Calls of tools' })
    expect(await calls.textContent()).toMatch(/lookup\(\{"word":"fence"\}\) answered/)
    await page.getByText('Preview').click()
    await page.getByText('fence: posts and boards').waitFor()
    expect(await violations(page)).toEqual([])
    await say(page, 'Again.')
    await decision(page).getByText('and sees notes.txt').waitFor()
    expect(open.faults).toEqual([])
  })

  it.skipIf(jupyter.missing)(
    'shows HTML of a kernel in a frame in which no script runs, and a picture once',
    async () => {
      const picture =
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
      const html = '<table><tr><td>a cell</td></tr></table><script>parent.document.title = "owned"</script>'
      const code = `from IPython.display import HTML, Image, display\nimport base64\ndisplay(Image(base64.b64decode('${picture}')))\nHTML('${html}')`
      await using server = await serveTest({ models: [], executors: [kernel] })
      await using open = await openPage(browser, server)
      const { page } = open
      // A file that is dropped on the page.
      const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([${JSON.stringify(program(code))}], 'table.md'))
      return data
    })()`)
      await page.locator('.welcome').dispatchEvent('drop', { dataTransfer: dropped })
      await decision(page).getByRole('button', { name: /^Run/ }).click()
      await page.frameLocator('iframe').getByText('a cell').waitFor()
      expect(await page.title()).toBe('table.md · Fenced')
      // The executor has saved it in a file.
      await page.getByRole('list', { name: 'Files' }).getByText('Preview').first().waitFor()
      expect(await page.locator('img.picture').filter({ visible: true }).count()).toBe(1)
      expect(open.faults).toEqual([])
    },
  )

  it('runs a document without a model, and puts a file into the working directory', {
    tags: 'nightly',
  }, async () => {
    await using server = await serveTest({ models: [] })
    await using open = await openPage(browser, server)
    const { page } = open
    const notebook = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { language_info: { name: 'python' } },
      cells: [
        { cell_type: 'markdown', metadata: {}, source: ['# Sums'] },
        {
          cell_type: 'code',
          metadata: {},
          outputs: [],
          source: ['open("sum.txt", "w").write("5")\n', 'print(2 + 3)'],
        },
      ],
    }
    await page.getByLabel('Choose a document').setInputFiles({
      name: 'sums.ipynb',
      mimeType: 'application/x-ipynb+json',
      buffer: Buffer.from(JSON.stringify(notebook)),
    })
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByText('finished').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'sum.txt' }).click()
    expect((await download).suggestedFilename()).toBe('sum.txt')
    await page.getByLabel('Put files into the working directory').setInputFiles({
      name: 'data.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,b\n1,2\n'),
    })
    await page.getByText('data.csv was put into the working directory.').waitFor()
    // A document that is put there is not run.
    await page.getByLabel('Put files into the working directory').setInputFiles({
      name: 'notes.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from(program('print(1)')),
    })
    await page.getByText('notes.md was put into the working directory.').waitFor()
    expect(await decision(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Files', exact: true }).click()
    await eventually(async () =>
      expect(await page.getByRole('list', { name: 'All files' }).textContent()).toContain('data.csv'),
    )
    expect(await violations(page)).toEqual([])
    expect(open.faults).toEqual([])
  })

  it('branches at an earlier message, renames and deletes', { tags: 'nightly' }, async () => {
    await using server = await serveTest({ script: ['One.', 'Two.', 'Three.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'First question')
    await page.getByText('One.').waitFor()
    await say(page, 'Second question')
    await page.getByText('Two.').waitFor()
    await page.getByRole('button', { name: 'Edit this message in another conversation' }).last().click()
    await page.locator('.person.edited textarea').fill('Another question')
    await page.getByRole('button', { name: 'Continue from here' }).click()
    await page.getByText('Three.').waitFor()
    expect(await page.getByText('Second question').count()).toBe(0)
    expect(await page.locator('.sidebar li').count()).toBe(2)
    const row = page.locator('.sidebar li').first()
    await row.hover()
    await row.getByRole('button', { name: /Rename/ }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('A better title')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Delete A better title' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await eventually(async () => expect(await page.locator('.sidebar li').count()).toBe(1))
    await page.getByText('What should the model work on?').waitFor()
    expect(open.faults).toEqual([])
  })

  it('shows hostile output as text, and loads nothing of it', async () => {
    const hostile = [
      '<img src=x onerror="document.title = 1">',
      '</script><script>document.title = 2</script>',
      '\\x1b]0;owned\\x07\\x1b[31mred\\x1b[0m',
      'abc\\u202edef',
      '![pixel](https://example.com/pixel.png)',
    ]
    const code = `import sys\n${hostile.map((line) => `print('''${line}''')`).join('\n')}\nsys.stdout.write("x" * 100_000_000)`
    const prose = `${hostile[0]}\n\n${hostile[4]}\n\n<iframe src="https://example.com"></iframe>`
    await using server = await serveTest({ script: [program(code, { prose }), prose] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, '<b>Be hostile</b>')
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByText('finished').waitFor()
    const log = page.getByRole('log')
    await scroll(log, 'start')
    await eventually(async () => expect(await log.textContent()).toContain('<img src=x onerror'))
    expect(await log.textContent()).toContain('abc[U+202E]def')
    expect(await log.locator('.a-ansi-red').textContent()).toBe('red')
    // Of a line of 100 MB the log has 4 MiB, and the page a part of that.
    expect(await page.getByText(/\d characters are left out here/).textContent()).toMatch(/^9[45],/)
    expect(((await log.textContent()) ?? '').length).toBeLessThan(20_000)
    expect(await page.locator('iframe').count()).toBe(0)
    await eventually(async () => expect(await page.title()).toBe('<b>Be hostile</b> · Fenced'))
    expect(open.faults).toEqual([])
  })

  it('shows the hidden characters of a program, its editor, its files and an answer as escapes', async () => {
    const hidden = 'a\u3164\u00AD\u2028\u2800\uFE0F\u{E0041}\u202Eb'
    const shown = 'a[U+3164][U+00AD][U+2028][U+2800][U+FE0F][U+E0041][U+202E]b'
    const code = `open("made\\u200B\\n.txt", "w").close() # ${hidden}\n1 / 0 #\t${hidden} `
    await using server = await serveTest({
      script: [program(code, { prose: `**${hidden}** and \`${hidden}\`` }), hidden],
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, hidden)
    await decision(page).waitFor()
    expect(await page.locator('.card code').textContent()).toContain(`#␉   ${shown}␠`)
    await press(page, 'e')
    await page
      .getByRole('textbox', { name: /Program 1/ })
      .filter({ hasText: shown })
      .waitFor()
    await page.locator('.editor .cm-highlightTab').waitFor()
    await press(page, 'Escape')
    await press(page, 'a')
    await page.getByText('made[U+200B]␊.txt').waitFor()
    await eventually(async () => expect(await page.locator('.prose').last().textContent()).toBe(shown))
    expect(await page.locator('.prose strong').textContent()).toBe(shown)
    const text = (await page.locator('body').textContent()) ?? ''
    expect(visible(text)).toBe(text)
    expect(open.faults).toEqual([])
  })

  it('fits a phone', { tags: 'nightly' }, async () => {
    await using server = await serveTest({ script: [program(`print("${'wide '.repeat(60)}")`), 'End.'] })
    await using open = await openPage(browser, server, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    })
    const { page } = open
    await say(page, 'Print a long line.')
    await decision(page).getByRole('button', { name: /Run/ }).tap()
    await page.getByText('End.').waitFor()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(360)
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.chip')].filter((chip) => chip.scrollWidth > chip.clientWidth).length",
    )
    expect(cut).toBe(0)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Conversations' }).filter({ visible: true }).tap()
    await page.getByRole('button', { name: 'New conversation' }).tap()
    await page.getByText('What should the model work on?').waitFor()
    expect(open.faults).toEqual([])
  })

  it('scrolls through 100,000 lines of which only those that are seen are in the page', {
    tags: 'nightly',
  }, async () => {
    await using server = await serveTest({
      script: [program('seq 1 100000', { language: 'sh' }), 'Counted.'],
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Count.')
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByText('Counted.').waitFor()
    const line = (text: string) => page.locator('.line').getByText(text, { exact: true })
    await line('100000').waitFor()
    const first = async () => {
      await scroll(page.getByRole('log'), 'start')
      return line('1').count()
    }
    await eventually(async () => expect(await first()).toBe(1))
    expect(await page.locator('.line').count()).toBeLessThan(200)
    expect(open.faults).toEqual([])
  })

  it('stays usable while a program prints without end', { tags: 'nightly' }, async () => {
    await using server = await serveTest({ script: [program('yes', { language: 'sh' }), 'Enough.'] })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Say yes.')
    await decision(page).getByRole('button', { name: /Run/ }).click()
    await page.getByText(/characters are left out here/).waitFor()
    await page.getByRole('textbox', { name: 'Message' }).pressSequentially('typed')
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('typed')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    expect(open.faults).toEqual([])
  })
})
