// Spans for an agent's run, its turns, the requests to its model and its programs. Here they are printed.
import { CodeExecutorAgent } from '@fenced/agents'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { traceFenced } from '@fenced/opentelemetry'
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

// For Jaeger or Langfuse, use an OTLP exporter instead.
traceFenced({
  tracerProvider: new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
  }),
})

await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
const coder = new CodeExecutorAgent({ name: 'coder', executor, model: 'anthropic/claude-sonnet-4.5' })
await coder.run('On which weekday did the year 2000 begin?')
