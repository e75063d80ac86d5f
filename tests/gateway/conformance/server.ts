import {
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ServerOf } from '../../../worker/mcp/server.ts'
import { image } from './samples.ts'
import { registerTaskTools } from './taskTools.ts'
import { registerAskingTools, registerContentTools, registerStreamingTools } from './tools.ts'

const codec = createRequestStateCodec<{ round: number }>({ key: new Uint8Array(32).fill(7) })
const unchanging = { listChanged: false }

/** Serves what the MCP conformance suite needs in place of our tools; everything else is the product's. */
export const conformanceServer: ServerOf = () => {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: { tools: unchanging, prompts: unchanging, resources: unchanging, completions: {}, logging: {} },
      requestState: { verify: codec.verify },
    },
  )
  registerContentTools(server)
  registerStreamingTools(server)
  registerAskingTools(server, codec)
  registerResources(server)
  registerPrompts(server)
  registerTaskTools(server)
  return server
}

function registerResources(server: McpServer): void {
  const text = 'This is the content of the static text resource.'
  const plain = { description: 'Text', mimeType: 'text/plain' }
  server.registerResource('static-text', 'test://static-text', plain, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text }],
  }))
  const png = { description: 'An image', mimeType: 'image/png' }
  server.registerResource('static-binary', 'test://static-binary', png, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: image }],
  }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  const json = { description: 'Data by id', mimeType: 'application/json' }
  server.registerResource('template', template, json, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }))
}

function registerPrompts(server: McpServer): void {
  const user = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
  server.registerPrompt('test_simple_prompt', { description: 'No arguments' }, () => ({
    messages: [user('This is a simple prompt for testing.')],
  }))
  const two = z.object({
    arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value))),
    arg2: z.string(),
  })
  server.registerPrompt('test_prompt_with_arguments', { description: 'Two', argsSchema: two }, ({ arg1, arg2 }) => ({
    messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }))
  const one = z.object({ resourceUri: z.string() })
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A resource', argsSchema: one },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        user('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'An image' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: image, mimeType: 'image/png' } },
      user('Please analyze the image above.'),
    ],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'user_context')
    if (answer.kind === 'elicit') return { messages: [user(`Context: ${answer.content?.context}`)] }
    const requestedSchema = {
      type: 'object' as const,
      properties: { context: { type: 'string' as const } },
      required: ['context'],
    }
    const user_context = inputRequired.elicit({ message: 'What context should the prompt use?', requestedSchema })
    return inputRequired({ inputRequests: { user_context } })
  })
}
