// A model on this machine, behind any server with an OpenAI-compatible API: Ollama, llama.cpp, LM Studio or vLLM.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const baseURL = process.env.MODEL_URL ?? 'http://localhost:11434/v1'
const ollama = createOpenAICompatible({ name: 'ollama', baseURL })
const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
// For a context window of 32,768 tokens: `OLLAMA_CONTEXT_LENGTH=32768 ollama serve`. Ollama drops what does not fit, without an error.
const coder = new CodeExecutorAgent({
  name: 'coder',
  executor,
  model: ollama('qwen3'),
  maxInputTokens: 24_000,
})
try {
  const { text } = await coder.run('How many primes are below 1000?')
  console.log(text)
} finally {
  await executor.stop()
}
