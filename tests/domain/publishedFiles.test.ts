/** server.json for the MCP registry, llms.txt for agents, and the versions that publishing has to keep equal. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const json = (path: string) => JSON.parse(read(path)) as { version: string; dependencies: Record<string, string> }

/** The rules of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json for a remote server. */
const input = z.strictObject({
  description: z.string(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
})
const variables = z.record(z.string(), input)
const header = z.strictObject({ ...input.shape, name: z.string(), value: z.string(), variables })
const Server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^https:\/\/\S+\/mcp$/),
      variables,
      headers: z.array(header),
    }),
  ),
})
const namesIn = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1])

test('server.json follows its schema, and explains each variable @published-1', () => {
  const { remotes } = Server.parse(JSON.parse(read('server.json')))
  for (const { url, variables, headers } of remotes) {
    expect(namesIn(url)).toEqual(Object.keys(variables))
    for (const { value, variables } of headers) expect(namesIn(value)).toEqual(Object.keys(variables))
  }
})

test('the product, the SDKs and server.json have the same version @published-2', () => {
  const { version } = json('package.json')
  expect(read('sdk/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`)
  expect(read('sdk/python/src/bursar_sdk/_version.py')).toBe(`__version__ = "${version}"\n`)
  expect([json('sdk/package.json').version, json('server.json').version]).toEqual([version, version])
})

test('llms.txt links to the documents and the MCP endpoint of the Worker @published-3', () => {
  const links = [...read('web/public/llms.txt').matchAll(/\]\((.*?)\)/g)].map((match) => match[1]!)
  expect(links).toEqual(['/docs', '/openapi.json', '/mcp'])
})

test('nothing tells anyone to install or run by name a package that is not published @published-4', () => {
  const texts = ['README.md', 'sdk/README.md', 'skills/bursar/SKILL.md', 'worker/pages/docs.ts', 'CHANGELOG.md']
  const shown = [
    'web/src/routes/dashboard/-agents/quickStart.ts',
    'docs/agents/README.md',
    'docs/agents/python.md',
    'docs/walkthrough.md',
  ]
  for (const path of [...texts, ...shown])
    expect(read(path), path).not.toMatch(/(npm i|npm install|npx( -y)?) @bursar\/|pip install bursar/)
})
