import { EventLog } from '../../src/event-log.ts'
import { pageModel, team } from '../hosted.ts'
import { serveTest } from '../served.ts'

/** Serves a directory, and kills itself when the log has an event of a type: `code-end`, `code:stdout`. */
const [directory = '', type = ''] = process.argv.slice(2)
const { append, appendStep } = EventLog.prototype

type Event = Parameters<typeof append>[1]

function dieAfter(events: readonly Event[]): void {
  const types = events.map((event) => (event.type === 'code' ? `code:${event.event.type}` : event.type))
  if (!types.includes(type as never)) return
  process.kill(process.pid, 'SIGKILL')
  // Nothing else happens until the signal has come.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

EventLog.prototype.append = function (this: EventLog, id, ...events) {
  append.call(this, id, ...events)
  dieAfter(events)
}
EventLog.prototype.appendStep = function (this: EventLog, id, events, step) {
  appendStep.call(this, id, events, step)
  dieAfter(events)
}

const { origin, token } = await serveTest({
  directory,
  models: [{ id: 'model', name: 'Model', model: pageModel() }],
  agents: { team },
})
process.stdout.write(`${JSON.stringify({ origin, token })}\n`)
