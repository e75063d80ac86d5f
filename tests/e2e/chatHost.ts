/** A chat that shows cards: the unmodified bridge of ext-apps in a page, and the frame with the policy that the protocol sets by default. */
import type { Frame, Page } from '@playwright/test'
import { build } from 'vite'
import { clientPath, installClients } from '../support/clients.ts'

const chat = 'https://chat.example/'
const frameOrigin = 'https://card.example/'
/** What the watch of the browser tests would report: the chat itself and the document of its frame. */
export const chatRequests = /^foreign request: https:\/\/(chat|card)\.example\/$/

/** "Restrictive Default" of MCP Apps 2026-01-26. */
const defaultPolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'"

export type Shown = {
  /** Without a result, the chat has cancelled the call. */
  result?: object | null
  input?: object
  context?: object
  /** Of the host. By default it opens links and calls tools. */
  capabilities?: object
}
type ChatWindow = {
  openCard: (shown: Required<Shown>, origin: string) => Promise<void>
  opened: string[]
  called: { name: string; arguments: object }[]
}

const source = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
Object.assign(window, { opened: [], called: [], refusesLinks: false, nextResult: {} })
window.openCard = async ({ result, input, context, capabilities }, origin) => {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.title = 'Card'
  frame.style.cssText = 'border: 0; display: block; width: 100%; color-scheme: light'
  const bridge = new AppBridge(null, { name: 'chat', version: '1' }, capabilities, { hostContext: context })
  bridge.onopenlink = async ({ url }) => {
    window.opened.push(url)
    if (window.refusesLinks) return { isError: true }
    window.open(url, '_blank', 'noopener')
    return {}
  }
  bridge.oncalltool = async ({ name, arguments: args }) => {
    window.called.push({ name, arguments: args })
    return window.nextResult
  }
  bridge.onsizechange = ({ height }) => { frame.style.height = height + 'px' }
  const ready = new Promise((resolve) => { bridge.oninitialized = resolve })
  document.body.replaceChildren(frame)
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.src = origin
  await ready
  await bridge.sendToolInput({ arguments: input })
  await (result ? bridge.sendToolResult(result) : bridge.sendToolCancelled({ reason: 'user action' }))
}
`

async function bundle(): Promise<string> {
  await installClients()
  const id = 'chat-host.js'
  const built = await build({
    root: clientPath('..'),
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'chat-host',
        resolveId: (wanted) => (wanted === id ? id : null),
        load: (name) => (name === id ? source : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: id } },
  })
  const { output } = (Array.isArray(built) ? built[0] : built) as { output: { code?: string }[] }
  return output.map(({ code = '' }) => code).join('\n')
}
let bundled: Promise<string> | null = null

/** Opens the chat in `page`. `card`: the text of the resource. */
export async function openChat(page: Page, card: string) {
  bundled ??= bundle()
  const code = await bundled
  await page.route(`${chat}**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Chat</title><body style="margin:0"><script type="module">${code.replaceAll('</script', '<\\/script')}</script></body></html>`,
    }),
  )
  await page.route(`${frameOrigin}**`, (route) =>
    route.fulfill({ contentType: 'text/html', headers: { 'content-security-policy': defaultPolicy }, body: card }),
  )
  const fromFrame: string[] = []
  page.on('request', (request) => {
    if (request.frame() !== page.mainFrame()) fromFrame.push(request.url())
  })
  await page.goto(chat)
  return {
    /** Requests that the frame has made, except for its document. */
    requests: () => fromFrame.filter((url) => url !== frameOrigin),
    opened: () => page.evaluate(() => (window as unknown as ChatWindow).opened),
    called: () => page.evaluate(() => (window as unknown as ChatWindow).called),
    refuseLinks: () => page.evaluate(() => void Object.assign(window, { refusesLinks: true })),
    /** What the chat replies to the next call of a tool. */
    reply: (result: object) =>
      page.evaluate((next) => void Object.assign(window, { nextResult: next }), result as Record<string, unknown>),
    async show({
      result = null,
      input = {},
      context = {},
      capabilities = { openLinks: {}, serverTools: {} },
    }: Shown): Promise<Frame> {
      await page.evaluate(([shown, origin]) => (window as unknown as ChatWindow).openCard(shown, origin), [
        { result, input, context, capabilities },
        frameOrigin,
      ] as const)
      // By its element: the frame that was shown before may still be among the page's frames.
      const frame = await (await page.locator('iframe').elementHandle())?.contentFrame()
      if (!frame) throw new Error('the chat has no frame')
      await frame.locator('header').waitFor()
      return frame
    },
  }
}
