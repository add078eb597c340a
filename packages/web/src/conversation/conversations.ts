import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { HostWorkDirectory } from '@fenced/core/driver'
import { shortened } from '@fenced/errors/text'
import { firstBytes } from '@fenced/shared'
import type { ConversationSummary, LoggedEvent } from '../event.ts'
import type { EventLog } from '../event-log.ts'
import type { FencedWebOptions } from '../options.ts'
import { Problem } from '../problem.ts'
import { remembered } from '../remembered-events.ts'
import { endedRun } from './agent-recorder.ts'
import { Conversation } from './conversation.ts'
import { Outline } from './outline.ts'

/** Not counting the `…` of a title that is cut. */
const titleLength = 79
/** How many conversations keep their executor, with its process, container or kernel, while nothing runs in it. */
const mostExecutors = 16

interface NewConversation extends Pick<ConversationSummary, 'executor' | 'packages' | 'title'> {
  readonly model?: string | undefined
}

/** All conversations of a server. */
export class Conversations {
  readonly #log: EventLog
  readonly #options: FencedWebOptions
  /** Links below it are never followed. */
  readonly #directory: string
  readonly #live = new Map<string, Conversation>()
  /** Ids of conversations that are being removed. */
  readonly #removing = new Set<string>()
  /** Conversations that made room for others, while they end. */
  readonly #ending = new Set<Promise<void>>()

  /** Ends in the log what an earlier server was killed in. */
  constructor(log: EventLog, options: FencedWebOptions) {
    this.#log = log
    this.#options = options
    this.#directory = realpathSync.native(options.directory)
    for (const { id, isWorking } of log.list()) if (isWorking) this.#interrupt(id)
  }

  /** @throws {@link Problem} for an executor or a model that is not there. */
  create({ executor, model, packages, title }: NewConversation): string {
    const { executors, models = [], agents = {} } = this.#options
    const chosen = executors.find(({ id }) => id === executor)
    if (chosen === undefined) throw new Problem(422, `There is no executor "${executor}".`)
    if (packages.length > 0 && chosen.takesPackages !== true)
      throw new Problem(422, `The executor "${executor}" takes no packages.`)
    if (model !== undefined && !models.some(({ id }) => id === model) && !Object.hasOwn(agents, model))
      throw new Problem(422, `There is no model or agent "${model}".`)
    const id = randomUUID()
    this.#log.create({ id, title: titleOf(title), executor, model: model ?? '', packages })
    return id
  }

  get(id: string): Conversation {
    if (this.#removing.has(id)) throw notThere()
    const { executor: executorId, model: modelId, packages } = this.summary(id)
    const live = this.#live.get(id)
    if (live !== undefined) {
      // The most recently used is last.
      this.#live.delete(id)
      this.#live.set(id, live)
      return live
    }
    const { executors, agents = {} } = this.#options
    const executor = executors.find((each) => each.id === executorId)
    if (executor === undefined)
      throw new Problem(422, `The executor "${executorId}" of this conversation is not there any more.`)
    const conversation = new Conversation({
      id,
      log: this.#log,
      executor,
      model: this.#options.models?.find((each) => each.id === modelId),
      agent: Object.hasOwn(agents, modelId) ? agents[modelId] : undefined,
      packages,
      workDir: this.workDir(id),
      openWorkDir: () => this.files(id),
      options: this.#options,
    })
    this.#live.set(id, conversation)
    this.#unloadOldest()
    return conversation
  }

  summary(id: string): ConversationSummary {
    const summary = this.#log.find(id)
    if (summary === undefined) throw notThere()
    return summary
  }

  workDir(id: string): string {
    return join(this.#directory, 'files', id)
  }

  /**
   * The files of a conversation. Links are never followed, even if programs change the files meanwhile.
   *
   * @throws FencedError `WORK_DIR_UNUSABLE` where a link is in the place of the directory.
   */
  async files(id: string): Promise<HostWorkDirectory> {
    this.summary(id)
    const directory = new HostWorkDirectory({ path: this.workDir(id), within: this.#directory })
    await directory.open()
    return directory
  }

  rename(id: string, title: string): void {
    this.summary(id)
    this.#log.rename(id, titleOf(title))
  }

  /** Removes a conversation with its files. Nothing can start in it from now on. */
  async delete(id: string): Promise<void> {
    if (this.#removing.has(id)) throw notThere()
    this.summary(id)
    this.#removing.add(id)
    try {
      await this.#live.get(id)?.close()
      this.#live.delete(id)
      const all = new HostWorkDirectory({ path: join(this.#directory, 'files'), within: this.#directory })
      await all.removeAll(id)
      this.#log.delete(id)
    } finally {
      this.#removing.delete(id)
    }
  }

  /**
   * A copy of a conversation up to a message, with a different message in its place, and with a copy of the current files.
   */
  async branch(id: string, { message, text }: { message: string; text: string }): Promise<string> {
    const { executor, model, packages, title } = this.summary(id)
    const before: LoggedEvent[] = []
    let isFound = false
    for (const logged of this.#log.all(id)) {
      isFound = logged.event.type === 'message' && logged.event.messageId === message
      if (isFound) break
      before.push(logged)
    }
    if (!isFound) throw new Problem(404, 'There is no such message.')
    const other = this.create({
      executor,
      packages,
      model: model || undefined,
      title: before.length === 0 ? text : title,
    })
    this.#copyEvents(before, { id, other })
    await this.#copyFiles(id, other)
    this.get(other).send(text)
    return other
  }

  async close(): Promise<void> {
    const live = [...this.#live.values()].map((conversation) => conversation.close())
    await Promise.all([...live, ...this.#ending])
    this.#live.clear()
  }

  /** A later program gets a new executor, and its model reads that. */
  #unloadOldest(): void {
    const idle = [...this.#live].slice(0, -1).filter(([, { isWorking }]) => !isWorking)
    for (const [id, conversation] of idle.slice(0, Math.max(0, this.#live.size - mostExecutors))) {
      this.#live.delete(id)
      // What is wrong with it says the next start.
      const ending = conversation.close().catch(() => {})
      this.#ending.add(ending)
      void ending.then(() => this.#ending.delete(ending))
    }
  }

  /** Events, and the state that the agents had then. */
  #copyEvents(before: readonly LoggedEvent[], { id, other }: { id: string; other: string }): void {
    const last = before.at(-1)?.seq ?? 0
    const saved = this.#log.state(id, last)
    const events = remembered(before).filter(({ event }) => event.type !== 'turn-start')
    const known = saved === undefined ? events : events.filter(({ seq }) => seq <= saved.seq)
    for (const { event } of known) this.#log.append(other, event)
    // Without a state, the agents remember what is in the events.
    if (known.length > 0) this.#log.appendStep(other, [], saved ?? { state: undefined, isDone: true })
    for (const { event } of events.slice(known.length)) this.#log.append(other, event)
  }

  async #copyFiles(from: string, to: string): Promise<void> {
    const [source, target] = await Promise.all([this.files(from), this.files(to)])
    for (const path of (await source.tree(new Set())).keys()) {
      await using file = await source.openFile(path)
      // A program may still be appending to it.
      if (file !== undefined) await target.write(path, firstBytes(file, (await file.stat()).size))
    }
  }

  #interrupt(id: string): void {
    const { openAnswer, openRun } = new Outline(this.#log.all(id, { within: false }), undefined)
    if (openAnswer !== undefined)
      this.#log.append(id, { type: 'answer-end', answerId: openAnswer, complete: false })
    if (openRun !== undefined)
      this.#log.append(id, {
        ...{ type: 'code-end', runId: openRun, content: '' },
        result: endedRun('interrupted'),
      })
    this.#log.append(id, { type: 'turn-end', status: 'interrupted' })
  }
}

function notThere(): Problem {
  return new Problem(404, 'There is no such conversation.')
}

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() || 'Untitled'
  return shortened(line, titleLength)
}
