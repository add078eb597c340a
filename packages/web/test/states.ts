import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { answerable, decision, heightOf, type OpenPage, openPage, press, say, scroll } from './browser.ts'
import {
  local,
  program,
  sandboxed,
  serveTest,
  stateful,
  type TestServer,
  type TestServerOptions,
} from './served.ts'

/** Called in each state of the page, with its name. */
type Seen = (page: Page, name: string) => Promise<void>

interface WalkOptions {
  readonly browser: Browser
  readonly context: BrowserContextOptions
  readonly seen: Seen
  /** Called at the end of each part with what went wrong in it, but for refused tokens. */
  readonly ended: (faults: readonly string[]) => void
}

const task = 'Draw the first hundred steps of a random walk, and say how far it gets.'

const walk = `import random, struct, zlib

random.seed(7)
way = [0]
for _ in range(100):
    way.append(way[-1] + random.choice((-1, 1)))
print(f"It ends {abs(way[-1])} steps from where it began.")

width, height, middle = 606, 240, 120
rows = [bytearray(width) for _ in range(height)]
for step, position in enumerate(way):
    top = middle - position * 7
    for row in range(min(top, middle), max(top, middle) + 1):
        rows[row][6 * step : 6 * step + 4] = b"\\1" * 4

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

with open("walk.png", "wb") as file:
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\\0" + row for row in rows)
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header))
    file.write(chunk(b"PLTE", b"\\xff\\xff\\xff\\x1f\\x6b\\x57"))
    file.write(chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
with open("walk.csv", "w") as file:
    file.write("step,position,note\\n")
    for step, position in enumerate(way):
        file.write(f'{step},{position},"{"farther, than 5" if abs(position) > 5 else ""}"\\n')
`

const broken = walk.replace('top = middle', 'top = center')

const prose = 'I walk with a fixed seed, so that you get the same, and draw a **column for each step**.'

const script = [
  program(broken, { prose }),
  program(walk, { prose: 'The middle has another name. I repair that.' }),
  'The walk ends a few steps from its beginning; `walk.png` shows all of it.',
]

const examples = [
  task,
  'Which day of the week is the most common 13th of a month?',
  'Sort the words of a file by their length.',
]

/** Walks through the states of the page, part by part: each has its own server. */
export async function walkStates(options: WalkOptions): Promise<void> {
  for (const part of [conversation, documents, list, outputs, session]) await part(options)
}

async function part(
  { browser, context, ended }: WalkOptions,
  options: TestServerOptions,
  work: (page: Page, server: TestServer) => Promise<void>,
): Promise<void> {
  await using server = await serveTest(options)
  await using open: OpenPage = await openPage(browser, server, context)
  await work(open.page, server)
  ended(open.faults.filter((fault) => !fault.includes('401')))
}

/** From the first visit to a finished conversation. */
async function conversation(options: WalkOptions): Promise<void> {
  const { seen } = options
  await part(options, { executors: [sandboxed, local], script, examples }, async (page) => {
    await page.getByText('Sort the words').waitFor()
    await seen(page, 'first-visit')
    await page.locator('body').press('Tab')
    await page.locator('h1').click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await seen(page, 'help')
    await page.keyboard.press('Escape')
    await say(page, task)
    await answerable(page)
    await seen(page, 'question')
    await press(page, 'd')
    await page.getByRole('textbox', { name: /The model reads it/ }).waitFor()
    await seen(page, 'deny')
    await press(page, 'Escape')
    await answerable(page)
    await decision(page)
      .getByRole('button', { name: /Always/ })
      .click()
    await answerable(page)
    await seen(page, 'always')
    await press(page, 'Escape')
    await press(page, 'a')
    await page.getByText(/failed with exit code/).waitFor()
    await page.getByText('Changes to the earlier version').waitFor()
    await answerable(page)
    await seen(page, 'repair')
    await page.getByRole('textbox', { name: 'Message' }).fill('And the average?')
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await page.getByText('not sent yet').waitFor()
    await seen(page, 'message-too-early')
    await page.getByRole('textbox', { name: 'Message' }).fill('')
    await press(page, 'e')
    const editor = page.getByRole('textbox', { name: /Program 1/ })
    await editor.waitFor()
    await editor.fill(walk.replace('random.seed(7)', 'random.seed(42)'))
    await page.keyboard.press('Control+Home')
    await page.getByRole('region', { name: 'Changes' }).last().waitFor()
    await seen(page, 'edit')
    await page.getByRole('button', { name: 'Run edited code' }).click()
    await page.getByText('shows all of it').waitFor()
    const picture = page.getByRole('img', { name: 'walk.png' })
    await picture.waitFor()
    while ((await heightOf(picture)) === 0) await page.waitForLoadState('load')
    await scroll(page.getByRole('region', { name: 'Conversation' }), 'end')
    await seen(page, 'run')
    await scroll(page.getByRole('region', { name: 'Conversation' }), 'start')
    await page.getByRole('button', { name: 'To the newest' }).waitFor()
    await page.getByRole('button', { name: 'line 12' }).click()
    await seen(page, 'error')
    await page.getByRole('button', { name: 'Files', exact: true }).click()
    await page.getByRole('button', { name: /walk\.csv/ }).click()
    await page.getByRole('table').waitFor()
    await seen(page, 'files')
    await page.getByRole('button', { name: 'Close the files' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: /Notebook/ }).waitFor()
    await seen(page, 'save')
    await page.getByRole('button', { name: /Share as a file/ }).click()
    await page.getByRole('dialog', { name: 'Share as a file' }).waitFor()
    await seen(page, 'share')
  })
}

/** Without a model: several programs in one question. */
async function documents(options: WalkOptions): Promise<void> {
  const { seen } = options
  const text = [
    '# Three steps',
    '```python\nopen("a.txt", "w").write("1")\n```',
    'Then a shell:',
    '```sh\nls -l\n```',
    '```python\nprint(open("a.txt").read())\n```',
  ].join('\n\n')
  await part(options, { models: [], executors: [{ ...local, name: 'local' }] }, async (page) => {
    await page.getByText('No model is configured').waitFor()
    await seen(page, 'without-model')
    const file = { name: 'steps.md', mimeType: 'text/markdown', buffer: Buffer.from(text) }
    await page.getByLabel('Choose a document').setInputFiles(file)
    await page.getByText('Run these 3 programs?').waitFor()
    await answerable(page)
    await seen(page, 'several-programs')
  })
}

/** The list: questions that wait, a search, a title that changes, and a deletion. */
async function list(options: WalkOptions): Promise<void> {
  const { seen } = options
  const answers: TestServerOptions = {
    script: (call, prompt) =>
      prompt.some(({ role }) => role === 'assistant') ? 'Printed.' : program(`print(${call})`),
  }
  await part(options, { ...answers, executors: [local] }, async (page, server) => {
    const openList = async () => {
      if (isPhone(page))
        await page.getByRole('button', { name: 'Conversations' }).filter({ visible: true }).click()
    }
    // The page has its cookie.
    await page.getByRole('textbox', { name: 'Task' }).waitFor()
    for (const text of ['Count the words of a text.', 'Plot a sine.', 'Sort a list.']) {
      await page.goto(server.origin)
      await say(page, text)
      await answerable(page)
    }
    await press(page, 'a')
    await page.getByText('Printed.').waitFor()
    await openList()
    await page.getByText('Waiting for you').waitFor()
    await seen(page, 'list')
    await page.getByRole('searchbox').fill('sine')
    await page.getByRole('region', { name: 'Found' }).waitFor()
    await seen(page, 'search')
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: /^Plot a sine/ }).press('F2')
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    await seen(page, 'rename')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Plot a sine/ }).press('Delete')
    await page.getByRole('dialog', { name: /Delete/ }).waitFor()
    await seen(page, 'delete')
    await page.keyboard.press('Escape')
    await page.context().clearCookies()
    await page.goto(server.origin)
    await page.getByLabel('Token, or the address').fill('not the token')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'not the token' }).waitFor()
    await seen(page, 'token')
  })
}

/** Long output, while it runs and after. */
async function outputs(options: WalkOptions): Promise<void> {
  const { seen } = options
  const code = 'import time\nfor i in range(400):\n    print("line", i, flush=True)\ntime.sleep(600)'
  await part(options, { script: [program(code), 'Stopped.'], executors: [local] }, async (page) => {
    await say(page, 'Count.')
    await press(page, 'a')
    await page.getByText('line 399').waitFor()
    await seen(page, 'running')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    await seen(page, 'stopped')
  })
}

/** Python variables, and an undo that cannot undo everything. */
async function session(options: WalkOptions): Promise<void> {
  const { seen } = options
  const steps = [
    'prices = {"tea": 3.2, "bread": 2.5}\nwith open("prices.csv", "w") as file:\n    file.write("name,price\\ntea,3.2\\nbread,2.5\\n")',
    'raised = {name: price * 1.1 for name, price in prices.items()}\nprices.clear()\nlabel = "raised by 10 %"',
  ]
  const script = [
    program(steps[0] ?? '', { prose: 'I keep the prices in a dictionary and in a file.' }),
    'The prices are in `prices`.',
    program(steps[1] ?? '', { prose: 'I raise them.' }),
    'They are raised.',
  ]
  await part(options, { script, executors: [stateful] }, async (page) => {
    await say(page, 'Write down the prices: tea 3.20, bread 2.50.')
    await press(page, 'a')
    await page.getByText('The prices are in').waitFor()
    await say(page, 'Raise them by 10 %.')
    await press(page, 'a')
    await page.getByText('They are raised.').waitFor()
    await page.getByRole('button', { name: /^Files/ }).click()
    await page.getByRole('list', { name: 'All variables' }).waitFor()
    await seen(page, 'variables')
    await page.getByRole('button', { name: 'Close the files' }).click()
    await page.getByRole('button', { name: /^Undo/ }).last().click()
    await page.getByText(/, then undone/).waitFor()
    // On a phone, the panel covers what was undone.
    if (!isPhone(page)) {
      await page.getByRole('button', { name: /^Files/ }).click()
      await page.getByRole('list', { name: 'All variables' }).waitFor()
    }
    await seen(page, 'undone')
  })
}

function isPhone(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 720
}
