/** The tools that the MCP conformance suite calls by name. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { image, sound } from './samples.ts'

const none = z.object({})
const says = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export function registerContentTools(server: McpServer): void {
  const answers = (name: string, content: CallToolResult['content']) =>
    server.registerTool(name, { description: `Answers ${name}`, inputSchema: none }, () => ({ content }))

  answers('test_simple_text', [{ type: 'text', text: 'This is a simple text response for testing.' }])
  answers('test_image_content', [{ type: 'image', data: image, mimeType: 'image/png' }])
  answers('test_audio_content', [{ type: 'audio', data: sound, mimeType: 'audio/wav' }])
  answers('test_embedded_resource', [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ])
  answers('test_multiple_content_types', [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: image, mimeType: 'image/png' },
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ])
  server.registerTool('test_error_handling', { description: 'Fails', inputSchema: none }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: richSchema },
    () => says('ok'),
  )
}

export function registerStreamingTools(server: McpServer): void {
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports', inputSchema: none },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
        await pause(50)
      }
      return says('done')
    },
  )
  const logs = (name: string) =>
    server.registerTool(name, { description: 'Logs', inputSchema: none }, async (_, { mcpReq }) => {
      for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', step)
        await pause(50)
      }
      return says('done')
    })
  logs('test_tool_with_logging')
  logs('test_logging_tool')
}

type Field = { type: 'string' } | { type: 'boolean' }
const form = (message: string, name: string, field: Field = { type: 'string' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  })
const sampling = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 })
const given = ({ mcpReq }: ServerContext, key: string) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing'

/** Results that ask the client for something first (SEP-2322). */
export function registerAskingTools(server: McpServer, codec: RequestStateCodec<{ round: number }>): void {
  const asks = (name: string, key: string, request: Parameters<typeof inputRequired>[0]['inputRequests']) =>
    server.registerTool(name, { description: `Asks for ${key}`, inputSchema: none }, (_, ctx) =>
      given(ctx, key) ? says(`got ${key}`) : inputRequired({ inputRequests: request! }),
    )
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name', inputSchema: none },
    (_, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'user_name')
      const name = answer.kind === 'elicit' ? answer.content?.name : undefined
      return typeof name === 'string'
        ? says(`Hello, ${name}!`)
        : inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } })
    },
  )
  asks('test_streaming_elicitation', 'name', { name: form('What is your name?', 'name') })
  asks('test_input_required_result_sampling', 'capital_question', {
    capital_question: sampling('What is the capital of France?'),
  })
  asks('test_input_required_result_list_roots', 'client_roots', { client_roots: inputRequired.listRoots() })
  asks('test_missing_capability', 'model', { model: sampling('Hello') })
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only for what the client can do', inputSchema: none },
    (_, { mcpReq }) => {
      const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
      const can = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
      return inputRequired({
        inputRequests: {
          ...(can?.sampling && { greeting: sampling('Generate a greeting') }),
          ...(can?.elicitation && { user_name: form('What is your name?', 'name') }),
        },
      })
    },
  )

  /** Each round asks for one more input, and the state contains the round. */
  const rounds = (name: string, requests: { [key: string]: ReturnType<typeof form> }[]) =>
    server.registerTool(name, { description: 'Keeps state', inputSchema: none }, async (_, ctx) => {
      const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0
      const asked = requests[round - 1]
      if (asked && !Object.keys(asked).every((key) => given(ctx, key)))
        return inputRequired({ inputRequests: asked, requestState: await codec.mint({ round }, ctx) })
      const next = requests[round]
      if (!next) return says('state-ok')
      return inputRequired({ inputRequests: next, requestState: await codec.mint({ round: round + 1 }, ctx) })
    })
  const confirm = { confirm: form('Please confirm', 'ok', { type: 'boolean' }) }
  rounds('test_input_required_result_request_state', [confirm])
  rounds('test_input_required_result_tampered_state', [confirm])
  rounds('test_input_required_result_multi_round', [
    { step1: form('Step 1: What is your name?', 'name') },
    { step2: form('Step 2: What is your favorite color?', 'color') },
  ])
  rounds('test_input_required_result_multiple_inputs', [
    {
      user_name: form('What is your name?', 'name'),
      greeting: sampling('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
  ])
}

const richSchema = fromJsonSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
})
