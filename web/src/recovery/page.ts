import { formatUsdc } from '../../../worker/domain/money.ts'
import { addressProblem, checksumAddress } from '../../../worker/domain/validators.ts'
import { formatMoment } from '../lib/format.ts'
import { type OwnerSecret, ownerSecretOf } from '../lib/ownerSecret.ts'
import { type Hex, Node } from './chain.ts'
import {
  disableRotation,
  findPayouts,
  findWallets,
  noToken,
  type OpenPayout,
  readWallet,
  reclaimPayout,
  revokeSession,
  type WalletState,
  withdraw,
} from './wallet.ts'

/**
 * The way out that needs nobody: an owner's key and any RPC URL. Opened from disk or from anywhere; the page speaks to
 * the RPC URL alone, and the key stays in this tab's memory.
 */
const networks: Record<number, string> = { 8453: 'Base', 84532: 'Base Sepolia (test network)' }
/** What the dearest of the calls here may cost at a high price of gas: 0.0001 ETH. */
const leastEther = 100_000_000_000_000n

const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
const form = find<HTMLFormElement>('look-up')
const fields = {
  rpc: find<HTMLInputElement>('rpc'),
  secret: find<HTMLTextAreaElement>('secret'),
  wallet: find<HTMLInputElement>('wallet'),
  fromBlock: find<HTMLInputElement>('from-block'),
}
const status = find('status')
const found = find('found')
const log = find('log')

let stopped = false
/** The key of the last look-up, for the next one: its words are not left in the page. */
let known: OwnerSecret | null = null

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Element | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

function say(text: string, kind: 'info' | 'bad' = 'info', ...more: Element[]): void {
  status.className = kind
  status.replaceChildren(text, ...more)
}

const problemOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Dollars with two to six decimals. */
function dollars(micro: bigint): string {
  const [whole = '0', fraction = ''] = formatUsdc(micro).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')} USDC`
}

function ether(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18).replace(/0+$/, '').padEnd(1, '0')} ETH`
}

const when = (seconds: number) => formatMoment(seconds * 1000)
const groups = (address: string) => `0x ${address.slice(2).match(/.{4}/g)!.join(' ')}`

/** One thing at a time: every button rests while something runs. */
async function busy(work: () => Promise<void>): Promise<void> {
  const buttons = [...document.querySelectorAll('button')].filter((button) => !button.disabled)
  for (const button of buttons) button.disabled = true
  document.body.setAttribute('aria-busy', 'true')
  try {
    await work()
  } catch (error) {
    say(problemOf(error), 'bad')
  } finally {
    for (const button of buttons) button.disabled = false
    document.body.removeAttribute('aria-busy')
  }
}

/** Tells how far a search through the chain is, with a way to stop it. */
function searching(what: string): (block: number) => boolean {
  stopped = false
  return (block) => {
    const stop = element('button', { type: 'button', class: 'plain' }, 'Stop searching')
    stop.addEventListener('click', () => {
      stopped = true
    })
    say(`Searching the chain for ${what}: at block ${block} and going back. `, 'info', stop)
    return !stopped
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void busy(lookUp)
})

async function lookUp(): Promise<void> {
  found.replaceChildren()
  const typed = fields.secret.value.trim()
  const key = typed === '' && known ? known : ownerSecretOf(typed)
  known = key
  fields.secret.value = ''
  fields.secret.placeholder = `Kept in this tab: the key of ${checksumAddress(key.address)}`
  const node = new Node(fields.rpc.value.trim())
  say('Asking the node …')
  const chainId = Number(await node.quantity('eth_chainId'))
  if (!networks[chainId])
    throw new Error(`This RPC URL is of another network (chain id ${chainId}). Use one of Base (8453).`)
  const fromBlock = /^\d+$/.test(fields.fromBlock.value.trim()) ? Number(fields.fromBlock.value.trim()) : 0
  const given = fields.wallet.value.trim()
  const wrong = given && addressProblem(given)
  if (wrong) throw new Error(wrong)
  const addresses = given ? [given as Hex] : await findWallets(node, key.address, fromBlock, searching('your wallets'))
  if (addresses.length === 0)
    throw new Error(
      `No wallet of ${key.address} was found. If you know its address, from your recovery sheet, enter it above.`,
    )
  const owned = await node.quantity('eth_getBalance', key.address, 'latest')
  found.append(ownerCard(key, owned, networks[chainId]!))
  for (const address of addresses) {
    const card = element('section', { class: 'card', 'aria-label': `Wallet ${address}` })
    found.append(card)
    await showWallet(node, key, address, fromBlock, card)
  }
  say(addresses.length === 1 ? 'Your wallet is below.' : `${addresses.length} wallets are below.`)
  found.querySelector('h2')?.focus()
}

function ownerCard(key: OwnerSecret, owned: bigint, network: string): HTMLElement {
  const card = element('section', { class: 'card' })
  card.append(
    element('h2', { tabindex: '-1' }, 'Your key'),
    facts([
      ['Network', network],
      ['Owner address', checksumAddress(key.address)],
      ['ETH for network fees', ether(owned)],
    ]),
  )
  if (owned < leastEther)
    card.append(
      element(
        'p',
        { class: 'warn' },
        'Network fees are paid by the owner address. Send about 1 USD of ETH on this network to it, then look up again.',
      ),
    )
  return card
}

function facts(rows: [string, string][]): HTMLElement {
  const list = element('dl')
  for (const [name, value] of rows) list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  return list
}

async function showWallet(node: Node, key: OwnerSecret, address: Hex, fromBlock: number, card: HTMLElement) {
  const wallet = await readWallet(node, address)
  const isOwner = wallet.owner.toLowerCase() === key.address.toLowerCase()
  const payouts = isOwner ? await findPayouts(node, wallet, fromBlock, searching('unclaimed payouts')) : []
  const total = payouts.reduce((sum, { held }) => sum + held, 0n)
  const again = () => showWallet(node, key, address, fromBlock, card)
  const act = (what: string, calls: { to?: Hex; data: Hex; done: string }[]) =>
    busy(async () => {
      for (const [i, { data, done }] of calls.entries()) {
        say(`${what}${calls.length > 1 ? ` (${i + 1} of ${calls.length})` : ''}: waiting until it is mined …`)
        const hash = await node.send(key, wallet.address, data)
        log.prepend(element('li', {}, `${done} `, element('code', {}, hash)))
      }
      await again()
      say(`Done: ${what}.`)
    })

  card.replaceChildren(
    element('h2', {}, 'Wallet'),
    facts([
      ['Address', checksumAddress(wallet.address)],
      ['Balance', wallet.ether > 0n ? `${dollars(wallet.usdc)} and ${ether(wallet.ether)}` : dollars(wallet.usdc)],
      ['Session key', sessionText(wallet)],
      ['Rotation by the provider', wallet.rotationDisabled ? 'switched off for good' : 'allowed'],
      ['In unclaimed payouts', payouts.length === 0 ? 'nothing found' : `${dollars(total)} in ${payouts.length}`],
    ]),
  )
  if (!isOwner) {
    const text = `The owner of this wallet is ${checksumAddress(wallet.owner)}. Your key can’t move anything here.`
    card.append(element('p', { class: 'warn' }, text))
    return
  }
  if (payouts.length > 0) card.append(payoutsPart(payouts, act, wallet.now))
  card.append(powersPart(wallet, act), withdrawPart(wallet, act))
}

function sessionText(wallet: WalletState): string {
  if (wallet.sessionRevoked) return 'revoked'
  if (wallet.validUntil < wallet.now) return `over since ${when(wallet.validUntil)}`
  return `may send ${dollars(wallet.remaining)} until ${when(wallet.validUntil)}`
}

type Act = (what: string, calls: { data: Hex; done: string }[]) => Promise<void>

function button(label: string, onPress: () => void, look = ''): HTMLButtonElement {
  const made = element('button', { type: 'button', class: look }, label)
  made.addEventListener('click', onPress)
  return made
}

function payoutsPart(payouts: OpenPayout[], act: Act, now: number): HTMLElement {
  const reclaim = (list: OpenPayout[]) =>
    act(
      list.length === 1 ? 'reclaim a payout' : 'reclaim payouts',
      list.map((payout) => ({ data: reclaimPayout(payout), done: `Reclaimed ${dollars(payout.held)}.` })),
    )
  const list = element('ul', { class: 'payouts' })
  for (const payout of payouts)
    list.append(
      element(
        'li',
        {},
        element('span', {}, dollars(payout.held)),
        element(
          'span',
          { class: 'muted' },
          `${payout.expiry <= now ? 'expired' : 'can be claimed until'} ${when(payout.expiry)}`,
        ),
        button('Reclaim', () => void reclaim([payout]), 'second'),
      ),
    )
  const part = element('div', { class: 'part' }, element('h3', {}, 'Unclaimed payouts'), list)
  const expired = payouts.filter(({ expiry }) => expiry <= now)
  const row = element('div', { class: 'row' })
  if (expired.length > 0 && expired.length < payouts.length)
    row.append(button(`Reclaim ${expired.length} expired`, () => void reclaim(expired), 'second'))
  if (payouts.length > 1) row.append(button(`Reclaim all ${payouts.length}`, () => void reclaim(payouts), 'second'))
  part.append(row)
  return part
}

function powersPart(wallet: WalletState, act: Act): HTMLElement {
  const revoke = button(
    'Revoke session key',
    () => void act('revoke the session key', [{ data: revokeSession(), done: 'Session key revoked.' }]),
    'second',
  )
  revoke.disabled = wallet.sessionRevoked
  const disable = button(
    'Switch off rotation authority',
    () => void act('switch off rotation', [{ data: disableRotation(), done: 'Rotation authority switched off.' }]),
    'second',
  )
  disable.disabled = wallet.rotationDisabled
  return element(
    'div',
    { class: 'part' },
    element('h3', {}, 'Powers of the provider'),
    element(
      'p',
      { class: 'muted' },
      'Revoking ends the session key at once. Switching off rotation is for good: the provider can then never set another key.',
    ),
    element('div', { class: 'row' }, revoke, disable),
  )
}

function withdrawPart(wallet: WalletState, act: Act): HTMLElement {
  const id = `to-${wallet.address}`
  const input = element('input', { id, autocomplete: 'off', spellcheck: 'false', placeholder: '0x…', class: 'code' })
  const shown = element('p', { class: 'code muted', 'aria-live': 'polite' })
  const problem = element('p', { class: 'bad', role: 'alert' })
  input.addEventListener('input', () => {
    problem.replaceChildren()
    const to = input.value.trim()
    shown.replaceChildren(addressProblem(to) ? '' : groups(checksumAddress(to)))
  })
  const parts = [
    wallet.usdc > 0n && { token: wallet.usdcToken, amount: wallet.usdc, text: dollars(wallet.usdc) },
    wallet.ether > 0n && { token: noToken, amount: wallet.ether, text: ether(wallet.ether) },
  ].filter((part) => part !== false)
  const label = `Withdraw ${parts.map(({ text }) => text).join(' and ') || 'everything'}`
  const go = button(label, () => {
    const to = input.value.trim() as Hex
    const wrong =
      addressProblem(to) ??
      (to.toLowerCase() === wallet.address.toLowerCase() ? 'This is the wallet itself. Choose another address.' : null)
    problem.replaceChildren(wrong ?? '')
    if (wrong) return input.focus()
    void act(
      'withdraw everything',
      parts.map(({ token, amount, text }) => ({ data: withdraw(token, to, amount), done: `Withdrew ${text}.` })),
    )
  })
  go.disabled = parts.length === 0
  return element(
    'div',
    { class: 'part' },
    element('h3', {}, 'Withdraw everything'),
    element('label', { for: id }, 'To address, on the same network'),
    input,
    shown,
    problem,
    element('div', { class: 'row' }, go),
  )
}
