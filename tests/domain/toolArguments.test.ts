/** What models send as arguments of tools, and how a client wants to be answered. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { acceptedBy, asJson } from '../../worker/mcp/acceptHeader.ts'
import { plainArguments, plainMessage } from '../../worker/mcp/arguments.ts'

const schema = {
  properties: {
    text: { type: 'string' },
    limit: { type: 'integer' },
    flag: { type: 'boolean' },
    tags: { type: 'array' },
    either: { anyOf: [{ type: 'string' }, { type: 'object' }] },
    terms: { oneOf: [{ type: 'object' }, { type: 'object' }] },
  },
  required: ['text'],
}

test.each<[string, unknown, unknown]>([
  ['null for what is optional', { text: 'a', limit: null, either: null }, { text: 'a' }],
  ['empty text for what is optional', { text: 'a', limit: '', either: '' }, { text: 'a' }],
  ['null for what nobody asked for', { text: 'a', other: null }, { text: 'a' }],
  [
    'JSON as text',
    { text: '{"a":1}', limit: '5', flag: 'true', tags: '["x"]', terms: '{"a":null}' },
    { text: '{"a":1}', limit: 5, flag: true, tags: ['x'], terms: { a: null } },
  ],
])('%s is read as it is meant @mcp-40', (_, args, plain) => {
  expect(plainArguments(schema, args)).toEqual(plain)
})

test('what is required, of another type, or unknown stays for the schema to refuse @mcp-41', () => {
  const kept = { text: null, limit: 'five', flag: '1', tags: '{}', terms: '[', either: '{"a":1}', other: '' }
  expect(plainArguments(schema, kept)).toEqual(kept)
  expect(plainArguments(schema, { text: '', limit: '1.5' })).toEqual({ text: '', limit: '1.5' })
  for (const args of ['text', 7, [null], null, undefined]) expect(plainArguments(schema, args)).toEqual(args)
})

test('arguments as the schema describes them are left alone @mcp-42', () => {
  const valid = fc.record(
    {
      text: fc.string({ minLength: 1 }),
      limit: fc.integer(),
      flag: fc.boolean(),
      tags: fc.array(fc.string()),
      either: fc.oneof(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.string())),
    },
    { requiredKeys: ['text'] },
  )
  fc.assert(
    fc.property(valid, (args) => {
      expect(plainArguments(schema, args)).toEqual(args)
    }),
  )
})

test('a call whose arguments are null or JSON text is made one with an object; other messages stay as they are @mcp-43', () => {
  const message = (args: unknown) =>
    JSON.stringify({ id: 1, method: 'tools/call', params: { name: 'a', arguments: args } })
  expect(plainMessage(message(null))).toBe(message({}))
  expect(plainMessage(message(''))).toBe(message({}))
  expect(plainMessage(message('{"a":1}'))).toBe(message({ a: 1 }))
  for (const args of ['[1]', 'text', 7, { a: null }]) expect(plainMessage(message(args))).toBe(message(args))
  for (const body of ['', '{', 'null', '{"method":"tools/call","params":null}', '{"method":"tools/list"}'])
    expect(plainMessage(body)).toBe(body)
})

test.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/json, application/mcp+json', 'json'],
  ['text/html', 'json'],
  ['text/event-stream', 'stream'],
  ['Text/Event-Stream;q=0.9', 'stream'],
  ['application/json, text/event-stream', 'either'],
  ['text/event-stream, */*', 'either'],
  ['application/*;q=0.5, text/event-stream', 'either'],
])('Accept: %s means %s @mcp-44', (header, accepted) => {
  expect(acceptedBy(header)).toBe(accepted)
})

test('the result of a stream is its last event @mcp-45', async () => {
  const headers = { 'content-type': 'text/event-stream' }
  const stream = new Response(': hello\n\nevent: message\ndata: {"a":1}\n\n: keepalive\n\ndata: {"id":1}\n\n', {
    headers,
  })
  const reply = await asJson(stream)
  expect([reply.headers.get('content-type'), await reply.json()]).toEqual(['application/json', { id: 1 }])
  const refused = Response.json({ error: 1 }, { status: 400 })
  expect(await asJson(refused)).toBe(refused)
})
