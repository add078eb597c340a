export { type HumanInputScript, ScriptedHumanInput } from './scripted-human-input.ts'
export { type ScriptedAnswer, ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
