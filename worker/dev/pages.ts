import type { Context } from 'hono'
import { html } from 'hono/html'
import { formatUsdc } from '#domain/money.ts'
import { type ChainId, chainIds, networks } from '#domain/networks.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { isoOf } from '#domain/time.ts'
import type { AppEnv, Deps } from '../appEnv.ts'
import type { RpcClient } from '../chain/rpcClient.ts'
import { listDevMessages } from '../db/messages.ts'
import { type Html, page as workerPage } from '../pages/layout.ts'
import { localChain } from './faucet.ts'

const label = (chainId: ChainId) => `${networks[chainId].label} (local)`
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const maxTransfers = 50

type Log = { address: string; topics: string[]; data: string; transactionHash: string }
type Receipt = { status: string; blockNumber: string; gasUsed: string; from: string; to: string | null; logs: Log[] }
type Transaction = { from: string; to: string | null }

export function inboxPage(c: Context<AppEnv>, messages: InboxMessage[]) {
  const content = messages.length
    ? html`${messages.map(
        ({ to, channel, subject, text, at }) => html`<article>
<h2>${subject}</h2>
<div class="muted">${channel === 'sms' ? 'SMS' : 'Email'} to <a href="/dev/inbox?to=${encodeURIComponent(to)}">${to}</a> · ${at}</div>
<pre>${linked(text)}</pre>
</article>`,
      )}`
    : html`<p>Nothing has been sent yet.</p>`
  return page(c, 'Inbox', content)
}

/** Stands in for a seller's checkout page: no card, no money, stand-in USDC. */
export function onrampPage(c: Context<AppEnv>, order: { address: string; amount: bigint; redirectUrl: string }) {
  const sum = formatUsdc(order.amount)
  const field = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`
  const content = html`${facts([
    ['You get', `${sum} USDC`],
    ['You pay', `$${sum} of play money`],
    ['To the wallet', addressLink(order.address)],
    ['Network', 'Base (local)'],
  ])}
<form method="post" action="/dev/onramp">
${field('address', order.address)}${field('amount', sum)}${field('redirectUrl', order.redirectUrl)}
<p class="muted">In production, Coinbase sells real USDC here.</p>
<button>Pay $${sum}</button>
</form>`
  return page(c, 'Buy USDC', content, { hasForms: true })
}

export async function transactionPage(c: Context<AppEnv>, hash: string) {
  if (!/^0x[0-9a-fA-F]{64}$/.test(hash))
    return page(c, 'This is not a transaction hash', html`<p>${hash}</p>`, { status: 400 })
  for (const chainId of chainIds) {
    const { rpc, usdc } = localChain(c.env, chainId)
    const found = await Promise.all([
      rpc.request('eth_getTransactionByHash', [hash]),
      rpc.request('eth_getTransactionReceipt', [hash]),
    ]).catch(() => null)
    const [transaction, receipt] = (found ?? []) as [Transaction | null, Receipt | null]
    if (!transaction) continue
    const status = !receipt
      ? 'Waiting to be mined'
      : receipt.status === '0x1'
        ? html`<span class="good">✓ Success</span>`
        : html`<span class="bad">✕ Reverted</span>`
    return page(
      c,
      'Transaction',
      html`${facts([
        ['Hash', hash],
        ['Chain', label(chainId)],
        ['Status', status],
        ['From', addressLink(transaction.from)],
        ['To', transaction.to ? addressLink(transaction.to) : 'a new contract'],
        ...(receipt
          ? ([
              ['Block', decimal(receipt.blockNumber)],
              ['Gas used', decimal(receipt.gasUsed)],
            ] as [string, string][])
          : []),
      ])}${receipt ? transfersTable(receipt.logs.filter((log) => isTransfer(log, usdc))) : ''}`,
    )
  }
  return page(c, 'Transaction not found', html`<p>Neither local chain has <span>${hash}</span>.</p>`, { status: 404 })
}

export async function addressPage(c: Context<AppEnv>, address: string) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return page(c, 'This is not an address', html`<p>${address}</p>`, { status: 400 })
  const sections = await Promise.all(
    chainIds.map(async (chainId) => {
      const { rpc, usdc } = localChain(c.env, chainId)
      const found = await addressFacts(rpc, usdc, address).catch(() => null)
      if (!found) return html`<p class="muted">${label(chainId)} is not responding.</p>`
      return html`${facts([
        ['Chain', label(chainId)],
        ['USDC', found.usdc],
        ['ETH', found.eth],
        ['Kind', found.isContract ? 'Contract' : 'Account without code'],
      ])}${transfersTable(found.transfers)}`
    }),
  )
  return page(c, address, html`${sections}`)
}

async function addressFacts(rpc: RpcClient, usdc: string | undefined, address: string) {
  const word = address.slice(2).toLowerCase().padStart(64, '0')
  const logs = (topics: (string | null)[]) =>
    usdc ? rpc.request('eth_getLogs', [{ address: usdc, fromBlock: 'earliest', toBlock: 'latest', topics }]) : []
  const [code, eth, balance, outgoing, incoming] = await Promise.all([
    rpc.request('eth_getCode', [address, 'latest']),
    rpc.request('eth_getBalance', [address, 'latest']),
    usdc ? rpc.request('eth_call', [{ to: usdc, data: `0x70a08231${word}` }, 'latest']) : '0x0',
    logs([transferTopic, `0x${word}`]),
    logs([transferTopic, null, `0x${word}`]),
  ])
  const all = [...(outgoing as Log[]), ...(incoming as Log[])] as (Log & { blockNumber: string; logIndex: string })[]
  const newest = (log: { blockNumber: string; logIndex: string }) =>
    Number(log.blockNumber) * 100_000 + Number(log.logIndex)
  return {
    isContract: code !== '0x',
    eth: weiAsEther(BigInt(String(eth))),
    usdc: `${formatUsdc(BigInt(String(balance)))} USDC`,
    transfers: all.sort((a, b) => newest(b) - newest(a)).slice(0, maxTransfers),
  }
}

function transfersTable(transfers: Log[]) {
  if (transfers.length === 0) return html`<p class="muted">No USDC transfers.</p>`
  return html`<div class="scroll"><table>
<thead><tr><th>From</th><th>To</th><th class="amount">USDC</th><th>Transaction</th></tr></thead>
<tbody>${transfers.map(
    ({ topics, data, transactionHash }) => html`<tr>
<td>${addressLink(fromWord(topics[1]))}</td><td>${addressLink(fromWord(topics[2]))}</td>
<td class="amount">${formatUsdc(BigInt(data))}</td>
<td><a href="/dev/tx/${transactionHash}">${short(transactionHash)}</a></td>
</tr>`,
  )}</tbody></table></div>`
}

const isTransfer = (log: Log, usdc: string | undefined) =>
  log.topics[0] === transferTopic && log.topics.length === 3 && sameAddress(log.address, usdc)
const fromWord = (word = '') => `0x${word.slice(-40)}`
const short = (hex: string) => `${hex.slice(0, 6)}…${hex.slice(-4)}`
const addressLink = (address: string) =>
  html`<a href="/dev/address/${address}" title="${address}">${short(address)}</a>`
const decimal = (hex: string) => BigInt(hex).toLocaleString('en-US')

/** 1500000000000000000n → '1.5' */
function weiAsEther(wei: bigint): string {
  const fraction = (wei % 10n ** 18n).toString().padStart(18, '0').replace(/0+$/, '')
  return `${wei / 10n ** 18n}${fraction ? `.${fraction}` : ''}`
}

/** Turns http(s) URLs into links. */
function linked(text: string) {
  return html`${text.split(/(https?:\/\/[^\s"<>]+)/).map((part) => (/^https?:\/\//.test(part) ? html`<a href="${part}">${part}</a>` : part))}`
}

type Options = { status?: 200 | 400 | 404 | 502; hasForms?: boolean }

/** A page that only local stacks have. */
export const page = (c: Context<AppEnv>, title: string, content: Html, options: Options = {}) =>
  workerPage(c, title, content, {
    ...options,
    nav: html` <span class="muted">local chain and inbox</span>`,
    moreStyle: style,
  })

/** Pairs of label and value, stacked on narrow screens. */
export const facts = (rows: [string, Html | string][]) =>
  html`<dl>${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

const style = `
:root { --red: #b3261e; }
h1 { font-size: 20px; line-height: 28px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
article, dl { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin: 0 0 16px; }
dl div { display: grid; grid-template-columns: 160px 1fr; gap: 4px 16px; padding: 8px 0; border-top: 1px solid var(--line); }
dl div:first-child { border-top: 0; padding-top: 0; }
dl div:last-child { padding-bottom: 0; }
dt { color: var(--muted); font-size: 13px; }
dd { margin: 0; overflow-wrap: anywhere; }
article pre { margin: 12px 0 0; padding: 0; background: none; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
td.amount, th.amount { text-align: right; }
button { height: 40px; padding: 0 16px; border: 0; border-radius: 8px; background: var(--green); color: #fff; font: inherit; font-weight: 500; }
button:focus-visible { outline: 2px solid var(--green); outline-offset: 2px; }
.good { color: var(--green); } .bad { color: var(--red); }
@media (max-width: 560px) { dl div { grid-template-columns: 1fr; } }
`

/** Stands in for the operator's form that "Request beta access" opens. */
export const betaPage = (c: Context<AppEnv>) =>
  page(
    c,
    'Request beta access',
    html`<article>
      <p>A deployment’s own form opens here: the address in <code>BETA_ACCESS_URL</code>. Where that is unset, the sign-in
      page has no such link.</p>
      <p>On a local stack, no access is needed: <a href="/signup">create an account</a>.</p>
    </article>`,
  )

const maxMessages = 200

/** A message that was stored instead of sent. `at` is ISO 8601 UTC. */
export type InboxMessage = { id: string; to: string; channel: string; subject: string; text: string; at: string }

/** Messages to one recipient, or to all if `to` is null. Newest first. */
export async function inboxMessages({ db }: Deps, to: string | null): Promise<InboxMessage[]> {
  const rows = await listDevMessages(db, to, maxMessages)
  return rows.map(({ recipient, at, ...rest }) => ({ ...rest, to: recipient, at: isoOf(at) }))
}
