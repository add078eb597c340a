import { tracingChannel } from 'node:diagnostics_channel'
import type { AgentRunTrace, AgentTurnTrace, ModelCallTrace, ToolCallTrace } from '@fenced/core'
import { type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { kindOf, nameOf } from './attributes.ts'
import { bindSpans } from './bind-spans.ts'

/**
 * Makes spans of what agents do, with the attributes of the GenAI semantic conventions (version 1.41).
 *
 * @returns what ends that.
 */
export function bindAgentSpans(tracer: Tracer): (() => void)[] {
  return [
    bindSpans<AgentRunTrace>(tracingChannel('fenced:agent-run'), {
      begin({ kind, name }, parent) {
        const attributes = {
          'gen_ai.operation.name': 'invoke_workflow',
          'gen_ai.workflow.name': nameOf(name),
          'fenced.kind': kind,
        }
        return tracer.startSpan(`agent.run ${nameOf(name)}`, { attributes }, parent)
      },
      end(span, { result }) {
        if (result !== undefined) span.setAttribute('fenced.status', result.status)
      },
    }),
    bindSpans<AgentTurnTrace>(tracingChannel('fenced:agent-turn'), {
      begin({ agent }, parent) {
        const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': nameOf(agent) }
        return tracer.startSpan(`agent.turn ${nameOf(agent)}`, { attributes }, parent)
      },
      end: () => {},
    }),
    bindSpans<ModelCallTrace>(tracingChannel('fenced:chat'), {
      begin({ model, provider }, parent) {
        const attributes = {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': providerOf(provider),
          'gen_ai.request.model': nameOf(model),
        }
        return tracer.startSpan(`chat ${nameOf(model)}`, { kind: SpanKind.CLIENT, attributes }, parent)
      },
      end: endChat,
    }),
    bindSpans<ToolCallTrace>(tracingChannel('fenced:tool'), {
      begin({ tool }, parent) {
        const attributes = {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': nameOf(tool),
          'gen_ai.tool.type': 'function',
        }
        return tracer.startSpan(`execute_tool ${nameOf(tool)}`, { attributes }, parent)
      },
      end(span, { result }) {
        if (result?.isError === true) fail(span, 'tool_error')
      },
    }),
  ]
}

function endChat(span: Span, { usage, finishReason, failure }: ModelCallTrace): void {
  if (usage !== undefined) {
    span.setAttributes({
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    })
    if (usage.cachedInputTokens !== undefined)
      span.setAttribute('gen_ai.usage.cache_read.input_tokens', usage.cachedInputTokens)
  }
  if (finishReason !== undefined) span.setAttribute('gen_ai.response.finish_reasons', [finishReason])
  if (failure !== undefined) fail(span, kindOf(failure))
}

function fail(span: Span, kind: string): void {
  span.setAttribute('error.type', kind)
  span.setStatus({ code: SpanStatusCode.ERROR, message: kind })
}

/** Names of the conventions for providers that the AI SDK names differently. */
const providers: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}

/** The AI SDK adds the kind of model: `openai.responses`. */
function providerOf(provider: string): string {
  if (provider.startsWith('google.vertex')) return 'gcp.vertex_ai'
  const [name = provider] = provider.split('.')
  return providers[name] ?? nameOf(name)
}
