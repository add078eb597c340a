export { type HumanInputScript, ScriptedHumanInput } from '../human-input/scripted-human-input.ts'
export { type ScriptedAnswer, ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
