// Models, people, events and questions for tests.

export { createEvent, type EventInit } from '../event.ts'
export { humanInputRequest } from '../human-input/human-input.ts'
export { ScriptedHumanInput } from './scripted-human-input.ts'
export { type ScriptedAnswer, ScriptedModel } from './scripted-model.ts'
