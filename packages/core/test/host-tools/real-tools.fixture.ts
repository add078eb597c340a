import { z } from 'zod'
import type { JsonSchema } from '../../src/host-tools/tool-schema.ts'
import type { HostToolObject, HostTools } from '../../src/vocabulary/host-tool.ts'

// What well-known servers of the Model Context Protocol and the APIs behind them take: their names and shapes, with words of ours.

const text = { type: 'string' }
const integer = { type: 'integer' }
const flag = { type: 'boolean' }
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const either = (...values: unknown[]): JsonSchema => ({ enum: values })
const withDefault = (schema: JsonSchema, value: unknown): JsonSchema => ({ ...schema, default: value })

/** @param properties - those whose name ends with a question mark need not be given. */
function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entries = Object.entries(properties)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

function tool(description: string, inputSchema: unknown, outputSchema?: unknown): HostToolObject {
  return { description, inputSchema, outputSchema, execute: () => null }
}

const repository = { owner: text, repo: text }
const entity = object({ name: text, entityType: text, observations: list(text) })
const relation = object({ from: text, to: text, relationType: text })
const graph = object({ entities: list(entity), relations: list(relation) })

/** The files of a directory, and below them. */
interface Tree {
  name: string
  type: 'file' | 'directory'
  children?: Tree[] | undefined
}

const treeSchema: z.ZodType<Tree> = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory']),
  get children() {
    return z.array(treeSchema).optional()
  },
})

/** A condition on documents, in the way of MongoDB: keys that are no names in Python, and conditions in conditions. */
const definitions: JsonSchema = {
  filter: {
    type: 'object',
    properties: {
      $and: list({ $ref: '#/$defs/filter' }),
      $or: list({ $ref: '#/$defs/filter' }),
      field: text,
      equals: { type: ['string', 'number', 'boolean', 'null'] },
    },
  },
}
const filter: JsonSchema = { $ref: '#/$defs/filter' }

export const realTools: HostTools = {
  // Files
  read_file: tool('Reads a file as text.', object({ path: text, 'head?': integer, 'tail?': integer }), text),
  read_multiple_files: tool('Reads some files.', object({ paths: list(text) })),
  write_file: tool('Writes a file.\nOne that is there is replaced.', object({ path: text, content: text })),
  edit_file: tool(
    'Replaces parts of a file.',
    object({
      path: text,
      edits: list(object({ oldText: text, newText: text })),
      'dryRun?': withDefault(flag, false),
    }),
  ),
  list_directory_with_sizes: tool(
    'Lists a directory.',
    object({ path: text, 'sortBy?': withDefault(either('name', 'size'), 'name') }),
  ),
  directory_tree: tool(
    'Lists a directory, and all below it.',
    object({ path: text, 'excludePatterns?': withDefault(list(text), []) }),
    z.array(treeSchema),
  ),
  search_files: tool('Finds files.', object({ path: text, pattern: text, 'excludePatterns?': list(text) })),
  // Git
  git_status: tool('What has changed.', object({ repo_path: text })),
  git_diff: tool(
    'Differences to a target.',
    object({ repo_path: text, target: text, 'context_lines?': integer }),
  ),
  git_log: tool(
    'The last commits.',
    object({
      repo_path: text,
      'max_count?': withDefault(integer, 10),
      'start_timestamp?': { anyOf: [text, { type: 'null' }], default: null },
    }),
    list(object({ hash: text, author: text, date: text, message: text })),
  ),
  git_branch: tool(
    'Lists branches.',
    object({ repo_path: text, branch_type: either('local', 'remote', 'all') }),
  ),
  // What is remembered
  create_entities: tool('Adds nodes to a graph.', object({ entities: list(entity) }), list(entity)),
  create_relations: tool('Adds edges.', object({ relations: list(relation) })),
  add_observations: tool(
    'Adds facts.',
    object({ observations: list(object({ entityName: text, contents: list(text) })) }),
  ),
  read_graph: tool('All of it.', object({}), graph),
  search_nodes: tool('Finds nodes by words.', object({ query: text }), graph),
  // The web and the time
  fetch: tool(
    'Gets a page as Markdown.',
    object({
      url: { type: 'string', format: 'uri', minLength: 1 },
      'max_length?': { type: 'integer', exclusiveMinimum: 0, default: 5_000 },
      'start_index?': withDefault(integer, 0),
      'raw?': withDefault(flag, false),
    }),
  ),
  convert_time: tool(
    'The same moment somewhere else.',
    object({ source_timezone: text, time: text, target_timezone: text }),
  ),
  sequentialthinking: tool(
    'One step of a thought.',
    object({ thought: text, nextThoughtNeeded: flag, thoughtNumber: integer, 'isRevision?': flag }),
  ),
  'brave-web-search': tool(
    'Searches the web.',
    z.object({
      query: z.string().max(400),
      count: z.int().min(1).max(20).default(10),
      freshness: z.enum(['pd', 'pw', 'pm', 'py']).optional(),
    }),
    z.array(z.object({ title: z.string(), url: z.url(), age: z.string().nullable() })),
  ),
  // A place for code
  create_issue: tool(
    'Opens an issue.',
    object({ ...repository, title: text, 'body?': text, 'assignees?': list(text), 'labels?': list(text) }),
  ),
  list_issues: tool(
    'Issues of a repository.',
    object({
      ...repository,
      'state?': either('OPEN', 'CLOSED'),
      'orderBy?': either('CREATED_AT', 'UPDATED_AT', 'COMMENTS'),
      'since?': text,
    }),
  ),
  push_files: tool(
    'Makes one commit of some files.',
    object({
      ...repository,
      branch: text,
      files: list(object({ path: text, content: text })),
      message: text,
    }),
  ),
  create_pull_request_review: tool(
    'Reviews a change.',
    object({
      ...repository,
      pullNumber: integer,
      event: either('APPROVE', 'REQUEST_CHANGES', 'COMMENT'),
      'comments?': list({
        anyOf: [
          object({ path: text, position: integer, body: text }),
          object({ path: text, line: integer, body: text }),
        ],
      }),
    }),
  ),
  // Databases
  query: tool('Runs SQL that only reads.', object({ sql: text }), list({ type: 'object' })),
  find: tool('Finds documents.', {
    ...object({ collection: text, filter, 'limit?': withDefault(integer, 10) }),
    $defs: definitions,
  }),
  aggregate: tool('Runs a pipeline.', object({ collection: text, pipeline: list({ type: 'object' }) })),
  redis_set: tool('Sets a key.', object({ key: text, value: {}, 'expireSeconds?': integer })),
  // A browser
  browser_navigate: tool('Opens a page.', object({ url: text })),
  browser_fill_form: tool(
    'Fills fields.',
    object({
      fields: list(
        object({
          name: text,
          type: either('textbox', 'checkbox', 'radio', 'combobox', 'slider'),
          value: text,
        }),
      ),
    }),
  ),
  browser_take_screenshot: tool(
    'A picture of the page.',
    object({ 'type?': withDefault(either('png', 'jpeg'), 'png'), 'fullPage?': flag, 'filename?': text }),
  ),
  'browser.wait-for': tool(
    'Waits.',
    object({ 'time?': { type: 'number' }, 'text?': text, 'textGone?': text }),
  ),
  // Messages, a calendar, money
  slack_post_message: tool('Posts a message.', object({ channel_id: text, text })),
  send_email: tool(
    'Sends "mail".',
    z.object({
      to: z.array(z.email()).min(1),
      from: z.email().optional(),
      subject: z.string(),
      body: z.string(),
      attachments: z.array(z.object({ filename: z.string(), content: z.string() })).default([]),
    }),
  ),
  create_event: tool(
    'Adds an event.',
    z.object({
      title: z.string(),
      start: z.union([
        z.object({ date: z.string() }),
        z.object({ dateTime: z.string(), timeZone: z.string() }),
      ]),
      repeats: z.discriminatedUnion('every', [
        z.object({ every: z.literal('week'), days: z.array(z.enum(['MO', 'TU', 'WE', 'TH', 'FR'])) }),
        z.object({ every: z.literal('month'), day: z.int() }),
      ]),
    }),
  ),
  create_payment: tool(
    'Asks for money.',
    z.object({
      amount: z.object({ value: z.number(), currency: z.literal(['EUR', 'USD']) }),
      metadata: z.record(z.string(), z.string()).optional(),
    }),
    z.object({ id: z.string(), status: z.literal('open') }),
  ),
  // What is hard to name
  class: tool('A word of Python.', object({ import: text, 'lambda?': integer })),
  '2fa': tool('Begins with a digit.', object({ 'content-type': text, X_y: text, 'x-y?': text })),
  名前: tool('Not of ASCII.', object({ 値: text })),
  anything: tool('Takes all.\n\n"""Quoted""" \\n', { type: 'object' }),
}
