import type { Context } from 'hono'
import { html } from 'hono/html'
import { formatUsdc } from '#domain/money.ts'
import { type ChainId, chainIds, networks } from '#domain/networks.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import type { AppEnv } from '../appEnv.ts'
import type { RpcClient } from '../chain/rpcClient.ts'
import { localChain } from './faucet.ts'
import type { InboxMessage } from './inbox.ts'
import { facts, page } from './layout.ts'

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
