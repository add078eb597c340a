export { type RunEvent, runEventSchema, runEventVersion } from './run/run-event.ts'
