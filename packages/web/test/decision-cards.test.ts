// @module-tag all

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type {
  ApprovalRequest,
  ApprovalTarget,
  AskByKind,
  AskFunction,
  CodeBlock,
  ExecuteOptions,
  Execution,
} from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from '../scripts/build-page.ts'
import type { WebExecutor } from '../src/index.ts'
import { answerable, decision, launchBrowser, openPage, press, say, violations } from './browser.ts'
import { chromium, python } from './requirements.ts'
import { makeWheel, program, serveTest } from './served.ts'

const hidden = 'a\u202Eb'
const shownHidden = 'a[U+202E]b'

describe.skipIf(chromium.missing || python.missing)('the card of a question', { concurrent: true }, () => {
  let browser: Browser
  beforeAll(async () => {
    await buildPage()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('about a missing package has the package, its source and the place, and an answer installs it', async ({
    onTestFinished,
  }) => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-web-wheel-'))
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    await using server = await serveTest({
      script: [program('import fenced_greeting\nprint(fenced_greeting.value)'), 'Installed.'],
      executors: [installing(makeWheel(directory))],
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Greet.')
    await decision(page).getByText('which is empty').waitFor()
    const asked = await cardOf(page)
    expect(asked).toMatchObject({ title: 'Run this?', listings: [] })
    expect(Object.fromEntries(asked.facts)).toMatchObject({
      Where: 'on this machine, not isolated: it can do everything that you can do',
      Network: 'open: the program can reach other hosts',
      Packages: 'You are asked before one of these is installed: fenced_greeting.',
      Files: expect.stringMatching(/^it works in \/\S+, which is empty$/),
      'SHA-256': expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    await press(page, 'a')
    await decision(page).filter({ hasText: 'Install these packages?' }).waitFor()
    expect(await cardOf(page)).toEqual({
      title: 'Install these packages?',
      facts: [
        ['Packages', 'fenced_greeting'],
        ['Source', 'https://packages.test/simple'],
        ['Where', 'on this machine, not isolated: it can do everything that you can do'],
        ['Network', 'open: the program can reach other hosts'],
      ],
      listings: [],
      buttons: ['Install a', 'Deny d'],
    })
    expect(await violations(page)).toEqual([])
    await press(page, 'a')
    await page.getByText('Installed.').waitFor()
    expect(await page.getByRole('log').textContent()).toContain('42')
    expect(open.faults).toEqual([])
  })

  it('about a file, a process or a message has its facts, and takes its kind of answer', async () => {
    const asking = askingTool()
    const code = ['import json, tools', 'for kind in ("file", "move", "process", "message", "empty"):']
    await using server = await serveTest({
      script: [program([...code, '    print(json.dumps(tools.question(kind=kind)))'].join('\n')), 'The end.'],
      ...asking,
    })
    await using open = await openPage(browser, server)
    const { page } = open
    await say(page, 'Ask.')
    await press(page, 'a')
    const place = [
      ['Where', 'in a container, without network'],
      ['Network', 'none'],
    ]
    const buttons = ['Allow a', 'Deny d']

    await decision(page).filter({ hasText: 'notes' }).waitFor()
    expect(await cardOf(page)).toEqual({
      title: 'Change this file?',
      facts: [
        ['Action', 'write'],
        ['Path', `notes ${shownHidden}.txt`],
        ['Content', '12 bytes, SHA-256 0123456789abcdef'],
        ...place,
        ['Directory', '/work dir'],
      ],
      listings: [`${shownHidden}\nrm -r *\n`],
      buttons,
    })
    expect(await violations(page)).toEqual([])
    await press(page, 'a')

    await decision(page).filter({ hasText: 'Existing file' }).waitFor()
    expect(await cardOf(page)).toEqual({
      title: 'Change this file?',
      facts: [
        ['Action', 'move'],
        ['Path', 'a to b'],
        ['Existing file', 'is replaced'],
        ...place,
        ['Directory', '/work dir'],
      ],
      listings: [],
      buttons,
    })
    await press(page, 'd')
    await page.getByRole('textbox', { name: /The model reads it/ }).fill('Keep it.')
    await answerable(page)
    await page.keyboard.press('Enter')

    await decision(page).filter({ hasText: 'Start this process?' }).waitFor()
    expect(await cardOf(page)).toEqual({
      title: 'Start this process?',
      facts: [
        ['Command', 'node server.js "--name=a b" ""'],
        ['Directory', '/srv'],
        ['Variables', 'PORT, TOKEN'],
        ...place,
      ],
      listings: [],
      buttons: ['Start a', 'Deny d'],
    })
    await press(page, 'a')

    await decision(page).filter({ hasText: 'coder wrote:' }).waitFor()
    expect(await cardOf(page)).toEqual({
      title: 'Your message?',
      facts: [['From', 'user'], ['To', 'coder'], ['Programs', 'an empty message runs them'], ...place],
      listings: [`Is ${shownHidden} right?`],
      buttons: ['Send', 'Runs it', 'Ends the conversation exit', 'No message d'],
    })
    expect(await violations(page)).toEqual([])
    const field = decision(page).getByRole('textbox', { name: 'Your message' })
    // Without a text, Enter sends nothing: an empty message runs programs.
    await answerable(page)
    await field.press('Enter')
    await field.fill('first')
    await field.press('Shift+Enter')
    await field.pressSequentially('second')
    await field.press('Enter')

    await decision(page).filter({ hasText: 'Nothing was written yet.' }).waitFor()
    await answerable(page)
    await decision(page).getByRole('button', { name: 'Runs it' }).click()
    await page.getByText('The end.').waitFor()
    const lines = ((await page.getByRole('log').textContent()) ?? '').match(/\{.*?\}/g)
    expect(lines?.map((line) => JSON.parse(line))).toEqual([
      { decision: 'allow' },
      { decision: 'deny', reason: 'Keep it.' },
      { decision: 'allow' },
      { decision: 'answer', text: 'first\nsecond' },
      { decision: 'answer', text: '' },
    ])
    expect(open.faults).toEqual([])
  })
})

/** What a person reads on the card, fact by fact. */
async function cardOf(page: Page) {
  const card = decision(page)
  const texts = (selector: string) => card.locator(selector).allTextContents()
  const [names, values] = [await texts('.facts-list dt'), await texts('.facts-list dd')]
  return {
    title: await card.locator('h2').textContent(),
    facts: names.map((name, index) => [name.trim(), values[index]?.trim() ?? ''] as const),
    listings: await texts('pre'),
    buttons: (await texts('button')).map((text) => text.trim()),
  }
}

/** Processes of this machine that may install the package of a wheel. */
function installing(wheel: string): WebExecutor {
  return {
    id: 'installing',
    name: 'With an installer',
    createExecutor({ workDir }) {
      const target = join(workDir, '..', 'installed')
      mkdirSync(target)
      return new LocalCommandLineCodeExecutor(
        {
          workDir,
          env: { PYTHONPATH: target },
          missingPackages: 'install',
          installablePackages: ['fenced_greeting'],
        },
        {
          packageIndex: 'https://packages.test/simple',
          async installPackages() {
            execFileSync('python3', ['-m', 'zipfile', '-e', wheel, target])
          },
        },
      )
    },
  }
}

/** An executor, and a tool with which its programs bring questions of any kind to the approver of their run. */
function askingTool() {
  let ask: AskByKind = {}
  let events = new PassThrough({ objectMode: true })
  class Asking extends LocalCommandLineCodeExecutor {
    override execute(blocks: readonly CodeBlock[], options: ExecuteOptions = {}): Execution {
      ask = options.ask as AskByKind
      events = new PassThrough({ objectMode: true })
      const execution = super.execute(blocks, options)
      void pipeline(execution, events)
      return Object.assign(
        execution.then((result) => result),
        { cancel: () => execution.cancel(), [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() },
      )
    }
  }
  const options = { missingPackages: 'install', installablePackages: ['none'] } as const
  const executor: WebExecutor = {
    id: 'asking',
    name: 'Asking',
    createExecutor: ({ workDir }) => new Asking({ ...options, workDir }, { installPackages: async () => {} }),
  }
  const { signal } = new AbortController()
  const question = {
    description: 'Asks a question.',
    execute: async ({ kind }: { kind: keyof typeof requests }) => {
      const request = { ...requests[kind], id: kind, digest: kind } as ApprovalRequest
      events.write({ type: 'approval-requested', request })
      const answer = await (ask.file as AskFunction)(request, { signal })
      events.write({ type: 'approval-answered', id: kind, answer, remembered: false })
      return answer
    },
  }
  return { executors: [executor], tools: { question } }
}

const target: ApprovalTarget = {
  description: 'in a container, without network',
  executor: 'docker',
  isolation: 'container',
  network: 'none',
  particulars: {},
  workDir: '/work dir',
}

const choices = [
  { answer: '', label: 'Runs it' },
  { answer: 'exit', label: 'Ends the conversation' },
]

const requests = {
  file: {
    kind: 'file',
    question: 'May the file be written?',
    action: 'write',
    path: `notes ${hidden}.txt`,
    file: {
      path: `notes ${hidden}.txt`,
      sizeBytes: 12,
      sha256: `0123456789abcdef${'0'.repeat(48)}`,
      text: `${hidden}\nrm -r *\n`,
    },
    target,
  },
  move: { kind: 'file', question: 'Move?', action: 'move', path: 'a', newPath: 'b', overwrite: true, target },
  process: {
    kind: 'process',
    question: 'May the process start?',
    command: ['node', 'server.js', '--name=a b', ''],
    workDir: '/srv',
    env: ['PORT', 'TOKEN'],
    target,
  },
  message: {
    ...{ kind: 'message', question: 'Your message?', agent: 'user', partner: 'coder', choices, target },
    messages: [{ source: 'coder', text: `Is ${hidden} right?` }],
  },
  empty: { kind: 'message', question: 'Nothing was written yet.', agent: 'user', choices },
} as const satisfies Record<string, DistributiveOmit<ApprovalRequest, 'id' | 'digest'>>

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never
