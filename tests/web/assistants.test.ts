import { expect, test } from 'vitest'
import { assistants, isOnThisComputer } from '#web/routes/dashboard/-assistants/assistants.ts'

const url = 'https://pay.example.com/mcp'
const named = (name: string) => assistants(url).find((each) => each.name === name)!

test('each link opens its client with the URL, as the client’s documentation defines it @consent-1', () => {
  const claude = new URL(named('Claude').link!.href)
  expect(claude.origin + claude.pathname).toBe('https://claude.ai/customize/connectors')
  expect(Object.fromEntries(claude.searchParams)).toEqual({
    modal: 'add-custom-connector',
    connectorName: 'Bursar',
    connectorUrl: url,
  })

  const cursor = new URL(named('Cursor').link!.href)
  expect(cursor.href).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/)
  expect(cursor.searchParams.get('name')).toBe('bursar')
  expect(JSON.parse(atob(cursor.searchParams.get('config')!))).toEqual({ url })

  const [scheme, config] = named('VS Code').link!.href.split('?')
  expect(scheme).toBe('vscode:mcp/install')
  expect(JSON.parse(decodeURIComponent(config!))).toEqual({ name: 'bursar', type: 'http', url })
})

test('every client gets the URL, in its link, its command or by pasting it @consent-2', () => {
  for (const { name, link, code } of assistants(url)) {
    expect([link, code].filter(Boolean).length, name).toBeGreaterThan(0)
    if (code) expect(code.text, name).toContain(url)
  }
  expect(named('Claude Code').code!.text).toBe(`claude mcp add --transport http bursar ${url}`)
  expect(named('Codex').code!.text).toBe(`codex mcp add bursar --url ${url}`)
  expect(named('Gemini CLI').code!.text).toBe(`gemini mcp add --transport http bursar ${url}`)
  expect(named('VS Code').code!.text).toBe(`code --add-mcp '{"name":"bursar","type":"http","url":"${url}"}'`)
  const { mcpServers } = JSON.parse(named('Apps that only start local programs').code!.text)
  expect(mcpServers).toEqual({ bursar: { command: 'npx', args: ['-y', 'mcp-remote', url] } })
})

test('a server on this computer is out of reach for assistants in the cloud @consent-3', () => {
  expect(
    ['http://localhost:3001/mcp', 'http://127.0.0.1:3001/mcp', 'http://[::1]:3001/mcp'].every(isOnThisComputer),
  ).toBe(true)
  expect(isOnThisComputer(url)).toBe(false)
})
