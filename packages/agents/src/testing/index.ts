export { type ScriptedAnswer, ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts'
