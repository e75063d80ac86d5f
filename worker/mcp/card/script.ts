import { views } from './views.ts'

/**
 * The script of the card: the handshake with the host, and what it draws. It needs `origin`, that of our dashboard. Everything that
 * is shown goes through `clean` and becomes a text node. A link leads to the dashboard or isn't there. People decide on another
 * page: when they come back, the card reads the state once.
 */
export const script = String.raw`
const card = document.querySelector('main')
const root = document.documentElement
let host = {}, input = {}, shown = null, readAt = 0, lastId = 0
const waiting = {}

const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting[++lastId] = [resolve, reject]
  post({ id: lastId, method, params })
})

const hear = {
  __proto__: null,
  'ui/notifications/tool-input': (params) => { input = params.arguments ?? {} },
  'ui/notifications/tool-result': show,
  'ui/notifications/tool-cancelled': () => shown || draw(cancelled()),
  'ui/notifications/host-context-changed': adopt,
}
addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return
  const { id, method, params, result, error } = data
  if (!method) waiting[id]?.[error ? 1 : 0](error ?? result ?? {})
  else if (id === undefined) hear[method]?.(params ?? {})
  else post(/^(ping|ui\/resource-teardown)$/.test(method) ? { id, result: {} } : { id, error: { code: -32601, message: 'Unknown' } })
})

function adopt({ theme, styles }) {
  const set = (name, value) => value && root.style.setProperty(name, value)
  const given = styles?.variables ?? {}, paper = given['--color-background-primary'], ink = given['--color-text-primary']
  set('color-scheme', theme)
  set('--font', given['--font-sans'])
  if (paper && ink) set('--paper', paper), set('--ink', ink)
}

function clean(value, max = 300) {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udfff]/g
  const all = [...String(value).slice(0, 4000).replace(hidden, ' ').replace(/ +/g, ' ').trim()]
  return all.slice(0, max).join('') + (all.length > max ? '…' : '')
}

function usdc(value) {
  const parts = /^(\d{1,15})(?:\.(\d{1,6}))?$/.exec(clean(value))
  return parts ? parts[1].replace(/\B(?=(\d{3})+$)/g, ',') + '.' + (parts[2] ?? '').padEnd(2, '0') + ' USDC' : ''
}

function time(iso) {
  const at = new Date(clean(iso))
  const format = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  return isNaN(at) ? '' : at.toLocaleString('en-US', format)
}
${views}
function element(name, ...children) {
  const made = document.createElement(name)
  made.append(...children)
  return made
}
const written = (name, text) => element(name, element('bdi', text))

function draw(view) {
  shown = view
  const { title, chip: [state, tone = ''], facts = [], rows = [], notes = [], url, isDecided } = view
  const chip = element('span', state)
  chip.className = tone
  const known = facts.filter(([, text]) => text)
  card.replaceChildren(
    element('header', written('h1', title), chip),
    element('dl', ...known.flatMap(([name, text]) => [element('dt', name), written('dd', text)])),
    element('ul', ...rows.map((text) => written('li', text))),
    ...notes.filter(Boolean).map((text) => written('p', text)),
    ...(url ? link(url, isDecided) : []),
  )
}

function link(text, isDecided) {
  let url
  try {
    url = new URL(clean(text))
  } catch {}
  if (url?.origin !== origin || url.username || !url.pathname.startsWith('/dashboard/'))
    return [element('p', 'The link is left out: it does not lead to Bursar.')]
  const address = [element('p', 'In Bursar:'), element('code', url.href)]
  if (!host.openLinks) return address
  const button = element('button', isDecided ? 'Open in Bursar' : 'Review in Bursar')
  button.className = isDecided ? 'quiet' : ''
  const refused = () => button.replaceWith(...address)
  button.onclick = () => ask('ui/open-link', { url: url.href }).then(({ isError }) => isError && refused(), refused)
  return [button]
}

function show({ structuredContent, isError }) {
  const it = Object(structuredContent), view = !isError && viewOf[it.object]
  if (view) draw({ ...view(it), id: it.id, kind: it.object })
  else draw(it.code ? refusal(it) : { title: 'Bursar', chip: ['No details'] })
}

document.onvisibilitychange = async () => {
  if (document.hidden || !host.serverTools || !shown?.open || Date.now() - readAt < 15000) return
  readAt = Date.now()
  const { id, kind } = shown
  const params = { name: 'get_' + kind, arguments: { [kind.split('_').at(-1) + '_id']: id } }
  const result = await ask('tools/call', params).catch(() => ({}))
  if (!result.isError && result.structuredContent?.id === id) show(result)
}

ask('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'bursar', version: '1.0.0' },
  appCapabilities: {},
}).then(({ hostCapabilities, hostContext }) => {
  host = hostCapabilities ?? {}
  adopt(hostContext ?? {})
  post({ method: 'ui/notifications/initialized', params: {} })
  new ResizeObserver(() => {
    const { width, height } = root.getBoundingClientRect()
    post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } })
  }).observe(root)
})
`
