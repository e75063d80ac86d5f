/** Fills the demo account with the month of month.ts, through the calls that people and agents make. */

import { randomUUID } from 'node:crypto'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { parseUsdc } from '#domain/money.ts'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { CreateEscrowReply, Escrow } from '#schemas/escrow.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { SessionKeyInfo } from '#schemas/sessionKey.ts'
import type { DeployReply, Wallet, WalletLedger } from '#schemas/wallet.ts'
import { Bursar, BursarRefusal } from '#sdk'
import { BursarClient, until } from '../client.ts'
import { demo } from '../stack/seed.ts'
import { type StackOptions, startStack } from '../stack/stack.ts'
import { type SampleClock, sampleBlockTime, startClock } from './clock.ts'
import { bought, changes, contacts, deposits, groups, payments, payouts, refusals, type WalletName } from './month.ts'
import { startShop } from './shop.ts'

/** Owns the sample's wallets. It is the phrase of every local chain's test accounts, so anyone can act as their owner. */
export const ownerPhrase = 'test test test test test test test test test test test junk'

/** 06:00 UTC, thirty days before `now` (ms). */
export const monthStart = (now: number): number => Math.floor(now / dayMs - 30) * dayMs + 6 * 3_600_000

type Act = { at: number; run: () => Promise<unknown> }

/** Purchases are from the seller at `shopUrl`. `say` receives a line for each of ten parts. Takes about two minutes. */
export async function fillMonth(
  bursar: BursarClient,
  shopUrl: string,
  clock: SampleClock,
  say: (line: string) => void,
): Promise<void> {
  const firstDay = Math.floor(monthStart(Date.now()) / dayMs) * dayMs
  const at = (day: number, hour: number) => firstDay + day * dayMs + hour * 3_600_000
  const people = new SampleAccount(bursar)
  await people.signIn()
  await people.setUp()

  const acts: Act[] = [
    ...deposits.map(({ day, hour, wallet, amount }) => ({
      at: at(day, hour),
      run: () => people.deposit(wallet, amount),
    })),
    ...changes.map((change) => ({ at: at(change.day, change.hour), run: () => people.change(change) })),
    ...payments.map(([day, hour, ...payment]) => ({ at: at(day, hour), run: () => people.pay(...payment) })),
    ...bought.map(([day, hour, agent, amount, what]) => ({
      at: at(day, hour),
      run: () => people.buy(agent, `${shopUrl}/${amount}/${what}`),
    })),
    ...refusals.map(([day, hour, ...payment]) => ({ at: at(day, hour), run: () => people.beRefused(...payment) })),
    ...payouts.map((payout) => ({
      at: at(payout.day, payout.hour),
      run: () => (payout.ends === 'fails' ? people.failPayout(payout, clock) : people.sendPayout(payout)),
    })),
    ...payouts.flatMap(({ email, ends }) => {
      if (typeof ends === 'string') return []
      return 'claimedOn' in ends
        ? [{ at: at(ends.claimedOn, 19), run: () => people.claim(email) }]
        : [{ at: at(ends.reclaimedOn, 20), run: () => people.reclaim(email) }]
    }),
    { at: at(7, 12), run: () => people.useTestMoney() },
  ]
  const moments = [...Map.groupBy(acts, (act) => act.at)].sort(([a], [b]) => a - b)
  let reported = 0
  for (const [i, [time, together]] of moments.entries()) {
    await clock.goTo(time)
    await people.signIn()
    await Promise.all(together.map(({ run }) => run()))
    const tenth = Math.floor((10 * (i + 1)) / moments.length)
    if (tenth > reported) say(`a month of sample data: ${tenth * 10}%`)
    reported = tenth
  }
  await people.waitForExpiry()
  await clock.goTo(Date.now())
}

class SampleAccount {
  readonly #bursar: BursarClient
  #token = ''
  readonly #wallets = new Map<string, Wallet>()
  readonly #contactIds = new Map<string, string>()
  readonly #groupIds = new Map<string, string>()
  readonly #agents = new Map<string, { id: string; bursar: Bursar }>()
  /** Keyed by the recipient's email. */
  readonly #payoutIds = new Map<string, string>()

  constructor(bursar: BursarClient) {
    this.#bursar = bursar
  }

  /** Called again after each move of the clock, since access tokens last only minutes. */
  async signIn(): Promise<void> {
    this.#token = (await this.#bursar.signIn(demo.email, demo.password)).accessToken
  }

  async setUp(): Promise<void> {
    for (const contact of contacts) {
      const { id } = await this.#make<{ id: string }>('/contacts', contact)
      this.#contactIds.set(contact.name, id)
    }
    await Promise.all((['Operations', 'Marketing'] as const).map((name) => this.#deploy(name)))
    for (const { name, wallet, mayPay, body, agents } of groups) {
      const walletId = this.#wallet(wallet).id
      const whitelistedContactIds = mayPay.map((contact) => this.#contactIds.get(contact))
      const group = await this.#make<PolicyGroup>('/policy-groups', { name, walletId, whitelistedContactIds, ...body })
      this.#groupIds.set(name, group.id)
      for (const agent of agents) {
        const made = await this.#make<CreatedAgent>('/agents', { ...agent, policyGroupId: group.id })
        const bursar = new Bursar({ url: this.#bursar.url, apiKey: made.apiKey! })
        this.#agents.set(agent.name, { id: made.agent.id, bursar })
      }
    }
  }

  async #deploy(name: WalletName): Promise<void> {
    const ownerAddress = mnemonicToAccount(ownerPhrase, { addressIndex: this.#wallets.size }).address
    const body = { ownerAddress, chainId: 8453, name, purchaseAllowance: name === 'Operations' ? 20 : 0 }
    const { id } = await this.#make<DeployReply>('/wallets/smart-wallets-v2/deploy', body)
    const wallet = await until(`the wallet ${name}`, async () =>
      (await this.#get<Wallet[]>('/wallets')).find((each) => each.id === id && each.status === 'active'),
    )
    this.#wallets.set(name, wallet)
  }

  async deposit(name: WalletName, amount: string): Promise<void> {
    const { id, address } = this.#wallet(name)
    const before = await this.#ledger(id)
    await this.#bursar.plain('/dev/faucet', { body: { address, amount } })
    await until(`${amount} USDC in ${name}`, async () => {
      await this.#get(`/wallets/${id}/usdc-balance`)
      return (await this.#ledger(id)).deposits !== before.deposits
    })
  }

  async change(change: (typeof changes)[number]): Promise<void> {
    if (change.change === 'pause') await this.#make(`/agents/${this.#agent(change.agent).id}/pause`, {})
    if (change.change === 'topUp')
      await this.#make(`/policy-groups/${this.#groupIds.get(change.group)}/top-up`, { amount: change.amount })
    if (change.change === 'renew') {
      const path = `/wallets/smart-wallets-v2/${this.#wallet(change.wallet).id}`
      const key = () => this.#get<SessionKeyInfo>(`${path}/session-key`)
      const before = await key()
      await this.#make(`${path}/rotate-session-key`, {
        spendingLimit: String(parseUsdc(change.limit)),
        ttlHours: 720,
      })
      await until(`a new session key of ${change.wallet}`, async () => {
        const now = await key()
        return now.nonce !== before.nonce
      })
    }
  }

  async pay(agent: string, amount: string, to: string, memo: string): Promise<void> {
    const signal = AbortSignal.timeout(minuteMs)
    await this.#agent(agent).bursar.pay({ to: this.#contact(to), amount, memo, wait: 'sent', signal })
  }

  async buy(agent: string, url: string): Promise<void> {
    const { status } = await this.#agent(agent).bursar.fetch(url)
    if (status !== 200) throw new Error(`${url} was not sold: ${status}`)
  }

  async beRefused(agent: string, amount: string, to: string, memo: string): Promise<void> {
    const paid = await this.#agent(agent)
      .bursar.pay({ to: this.#contact(to), amount, memo })
      .catch((error: unknown) => {
        if (!(error instanceof BursarRefusal)) throw error
      })
    if (paid) throw new Error(`${memo} should be refused, but is ${paid.status}`)
  }

  #contact(name: string) {
    return { type: 'contact', contactId: this.#contactIds.get(name)! } as const
  }

  async sendPayout(sent: (typeof payouts)[number]): Promise<void> {
    const { email, memo } = sent
    await this.#createPayout(sent)
    const payout = await until(`the payout ${memo}`, async () => {
      const { escrows } = await this.#get<{ escrows: Escrow[] }>(`/escrow/list?status=CREATED`)
      return escrows.find(({ recipientEmail }) => recipientEmail === email)
    })
    this.#payoutIds.set(email, payout.escrowId)
    await this.#link(email)
  }

  async failPayout(sent: (typeof payouts)[number], clock: SampleClock): Promise<void> {
    await clock.withoutBlocks(() => this.#createPayout(sent))
    await this.signIn()
    await until(`the payout ${sent.memo} to fail`, async () => {
      const { escrows } = await this.#get<{ escrows: Escrow[] }>('/escrow/list?status=FAILED')
      return escrows.some(({ memo }) => memo === sent.memo)
    })
  }

  async #createPayout({ from, email, amount, memo, expiresInDays }: (typeof payouts)[number]): Promise<void> {
    if ('agent' in from) {
      await this.#agent(from.agent).bursar.pay({ to: email, amount, memo })
    } else {
      const sourceWalletId = this.#wallet(from.wallet).id
      const body = { sourceWalletId, amount, recipientEmail: email, memo, expiresInDays, senderName: demo.name }
      await this.#make<CreateEscrowReply>('/escrow/create', body)
    }
  }

  /** Acts as the recipient, with the link and code from the email and a new address. */
  async claim(email: string): Promise<void> {
    const [, accessToken, passcode] = await this.#link(email)
    await this.#bursar.claim(accessToken!, passcode!, privateKeyToAddress(generatePrivateKey()))
  }

  #link(email: string) {
    return this.#bursar.message(email, /\/claim\/(\S+)[\s\S]*?^(\d{6})$/m, `the mail to ${email}`)
  }

  async reclaim(email: string): Promise<void> {
    await this.#make(`/escrow/${this.#payoutIds.get(email)}/reclaim`, {})
    await this.#payoutIs(email, 'RECLAIMED')
  }

  /** Waits until payouts that were never claimed have returned to their wallets. */
  async waitForExpiry(): Promise<void> {
    for (const { email, ends } of payouts) if (ends === 'expires') await this.#payoutIs(email, 'RECLAIMED')
  }

  #payoutIs(email: string, status: Escrow['status']) {
    return until(`the payout to ${email} to be ${status}`, async () => {
      const payout = await this.#get<Escrow>(`/escrow/${this.#payoutIds.get(email)}`)
      return payout.status === status
    })
  }

  /** Imports a wallet on the test network, whose money is marked everywhere, and pays from it. */
  async useTestMoney(): Promise<void> {
    const privateKey = generatePrivateKey()
    const address = privateKeyToAddress(privateKey)
    const masterPassword = demo.password
    const body = { name: 'Sandbox', chain: 'base-sepolia', address, privateKey, masterPassword }
    const { id } = await this.#make<Wallet>('/wallets/with-private-key', body)
    await this.#bursar.plain('/dev/faucet', { body: { address, amount: '250', chain: 'base-sepolia' } })
    const toAddress = contacts[4].address
    await until('test USDC', async () => Number((await this.#ledger(id)).available) > 0)
    await this.#make('/transactions/send', { walletId: id, toAddress, amount: '12.50', memo: 'Trial of the API' })
    await until('the test payment', async () => (await this.#ledger(id)).held === '0')
  }

  #wallet(name: string): Wallet {
    return this.#wallets.get(name)!
  }
  #agent(name: string) {
    return this.#agents.get(name)!
  }
  #ledger(walletId: string) {
    return this.#get<WalletLedger>(`/wallets/${walletId}/ledger`)
  }
  #get<T>(path: string): Promise<T> {
    return this.#bursar.api<T>(path, { token: this.#token })
  }
  #make<T>(path: string, body: unknown): Promise<T> {
    return this.#bursar.api<T>(path, { token: this.#token, key: randomUUID(), body })
  }
}

/**
 * For `npm run dev -- --sample`: creates the state in `stateDir`, which must not exist, on a stack that it stops at the end.
 * A stack started there afterwards shows the month. Takes about two minutes. `started` receives a function that stops it
 * early.
 */
export async function makeSample(
  options: Pick<StackOptions, 'port' | 'basePort' | 'sepoliaPort' | 'stateDir' | 'say'>,
  started: (stop: () => Promise<void>) => void = () => {},
): Promise<void> {
  const { say = () => {} } = options
  const startsAt = monthStart(Date.now())
  const stack = await startStack({
    ...options,
    startsAt,
    blockTime: sampleBlockTime,
    quiet: true,
    entry: 'local/sample/worker.ts',
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stack.stop()
    return stopping
  }
  started(stop)
  try {
    const clock = await startClock(stack.url, [stack.rpc[8453], stack.rpc[84532]], startsAt)
    const shop = await startShop(
      stack.rpc[8453],
      stack.contracts[8453].usdc,
      '0x1000000000000000000000000000000000000a06',
    )
    await fillMonth(new BursarClient(stack.url, stack.rpc[8453]), shop.url, clock, say).finally(() => shop.stop())
  } finally {
    await stop()
  }
}
