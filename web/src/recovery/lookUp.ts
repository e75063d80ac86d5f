import { payoutAddress } from '#chain/addresses.ts'
import { announcedTerms } from '#chain/announcedTerms.ts'
import type { Terms } from '#chain/digests.ts'
import type { BlockRange } from '#chain/readLogs.ts'
import type { Address, Hex, Log } from '#chain/types.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { type EthereumNode, quantity, reasonOf } from './node.ts'
import { type OnProgress, searchLogs } from './searchLogs.ts'
import {
  addressIn,
  addressTopic,
  balanceOf,
  type OpenPayout,
  readFactory,
  readWallets,
  topics,
  type WalletContracts,
  type WalletState,
  WrongAddress,
  wordAt,
} from './wallet.ts'

export type LookUpInput = {
  /** The owner's address. */
  owner: Address
  /** From the recovery sheet; null if the chain has to be searched. */
  wallet: Address | null
  /** The factories whose wallets are Bursar's, on this network. */
  factories: Address[]
  /** One more, from the recovery sheet. */
  factory: Address | null
  /** The first block to search. */
  fromBlock: number
}

export type FoundWallet = {
  state: WalletState
  isOwner: boolean
  /** Those that hold money. Empty unless `isOwner`. */
  payouts: OpenPayout[]
  /** False while more payouts may be found. */
  isSearched: boolean
}

/** What a look-up tells while it runs. */
export type Report = {
  /** Returns the callback of a search for `what`. */
  searching: (what: string) => OnProgress
  /** There is more to show. */
  onChange: () => void
}

/** An announced payout. `held` is null until its balance is read, which only a payment of the wallet to it is a reason for. */
type Payout = { id: Hex; terms: Terms; address: Address; held: bigint | null }
type Wallet = {
  state: WalletState
  /** Whether the state has to be read again. */
  isStale: boolean
  isOwner: boolean
  /** By address. Anyone can announce payouts for this wallet, so most may be false. */
  announced: Map<Address, Payout>
  /** Addresses that the wallet has sent USDC to, which nobody else can add to. */
  paid: Set<Address>
}
/** A search for the payouts of these wallets, and the blocks that it has not read yet. */
type PayoutSearch = { wallets: Wallet[]; unread: BlockRange[] }

/**
 * Finds what an owner has: wallets, their payouts, and ETH for the fees. What the node does not answer becomes a problem
 * and ends nothing; `run` can be called again and then reads only what is missing.
 */
export class LookUp {
  /** What could not be read, in sentences. Empty after a complete run. */
  problems: string[] = []
  /** Wei of the owner; null if it could not be read. */
  ether: bigint | null = null
  /** Micro-USDC of the owner's own account, as of recipients who keep a payout, and its token; null if it could not be read. */
  usdc: { token: Address; amount: bigint } | null = null
  readonly #node: EthereumNode
  readonly #input: LookUpInput
  readonly #factories = new Map<Address, WalletContracts | null>()
  /** Where creations of wallets are still to be searched; null before the first run. */
  #unread: BlockRange[] | null = null
  #newest = 0
  /** By address in lower case; null until it is read. */
  #wallets = new Map<Address, Wallet | null>()
  readonly #searches: PayoutSearch[] = []

  constructor(node: EthereumNode, input: LookUpInput) {
    this.#node = node
    this.#input = input
    for (const factory of [...input.factories, ...(input.factory ? [input.factory] : [])])
      this.#factories.set(lower(factory), null)
    if (input.wallet) this.#wallets.set(lower(input.wallet), null)
  }

  /** The wallets that were read. After a run, those with money come first; then the order does not change. */
  get wallets(): FoundWallet[] {
    const found = [...this.#wallets.values()].filter((wallet) => wallet !== null)
    return found.map((wallet) => ({
      state: wallet.state,
      isOwner: wallet.isOwner,
      payouts: [...wallet.announced.values()].flatMap(({ id, terms, held }) => (held ? [{ id, terms, held }] : [])),
      isSearched: this.#searches.every(({ wallets, unread }) => unread.length === 0 || !wallets.includes(wallet)),
    }))
  }

  /** Throws WrongAddress about an address that was typed, RpcError or RpcUnavailable if the node answers nothing at all. */
  async run({ searching, onChange }: Report): Promise<void> {
    const problems: string[] = []
    if (this.#unread === null) {
      this.#newest = Number(await this.#node.read(quantity('eth_blockNumber')))
      this.#unread = this.#input.wallet ? [] : [this.#everything()]
    }
    await this.#readFactories(problems)
    await this.#findWallets(searching('your wallets'), problems)
    await this.#readWallets(problems)
    await this.#readOwner(problems)
    onChange()
    await this.#findPayouts(searching('unclaimed payouts'), problems)
    await this.#readBalances(problems)
    this.problems = problems
    // Anyone can create empty wallets for this owner.
    this.#wallets = new Map([...this.#wallets].sort(([, a], [, b]) => Number(hasMoney(b)) - Number(hasMoney(a))))
    onChange()
  }

  /** Reads what a transaction to `address`, a wallet or the token, may have changed. */
  async refresh(address: Address): Promise<void> {
    const problems: string[] = []
    const wallet = this.#wallets.get(lower(address))
    if (wallet) {
      wallet.isStale = true
      for (const payout of wallet.announced.values()) if (payout.held) payout.held = null
      await this.#readWallets(problems)
      await this.#readBalances(problems)
    } else await this.#readOwner(problems)
    this.problems = [...new Set([...this.problems, ...problems])]
  }

  #everything = (): BlockRange => ({
    fromBlock: Math.min(this.#input.fromBlock, this.#newest),
    toBlock: this.#newest,
  })
  #known = () => [...this.#factories.values()].filter((contracts) => contracts !== null)

  async #readOwner(problems: string[]): Promise<void> {
    const { owner } = this.#input
    const token = this.#known()[0]?.usdc
    const [ether, usdc] = await this.#node.readAll([
      quantity('eth_getBalance', owner, 'latest'),
      ...(token ? [balanceOf(token, owner)] : []),
    ])
    if (ether instanceof Error) problems.push(problemOf('The ETH of your key', ether))
    else this.ether = ether!
    if (usdc instanceof Error) problems.push(problemOf('The USDC of your key', usdc))
    else if (token) this.usdc = { token, amount: usdc! }
  }

  async #readFactories(problems: string[]): Promise<void> {
    for (const [factory, known] of this.#factories) {
      if (known) continue
      try {
        this.#factories.set(factory, await readFactory(this.#node, factory))
      } catch (error) {
        if (error instanceof WrongAddress && sameAddress(factory, this.#input.factory)) throw error
        problems.push(problemOf(`Wallet factory ${factory}`, error as Error))
      }
    }
  }

  async #findWallets(onProgress: OnProgress, problems: string[]): Promise<void> {
    if (this.#unread!.length === 0) return
    const filter = {
      // Any other contract can emit the same event.
      address: [...this.#factories.keys()],
      topics: [topics.walletCreated, null, addressTopic(this.#input.owner)],
    }
    const { logs, unread, reason } = await searchLogs(this.#node, [filter], this.#unread!, onProgress)
    for (const log of logs[0]!) {
      const address = addressIn(log.topics[1]!)
      if (!this.#wallets.has(address)) this.#wallets.set(address, null)
    }
    this.#unread = unread
    if (unread.length > 0) problems.push(notSearched('your wallets', unread, reason))
  }

  async #readWallets(problems: string[]): Promise<void> {
    const missing = [...this.#wallets].flatMap(([address, wallet]) => (wallet && !wallet.isStale ? [] : [address]))
    const added: Wallet[] = []
    for (const [i, state] of (await readWallets(this.#node, this.#known(), missing)).entries()) {
      const address = missing[i]!
      if (state instanceof Error) {
        if (state instanceof WrongAddress) {
          if (this.#known().length < this.#factories.size) continue // it may be of the factory that is a problem already
          if (this.#input.wallet) throw state
        }
        problems.push(problemOf(`Wallet ${address}`, state))
        continue
      }
      const known = this.#wallets.get(address)
      if (known) {
        Object.assign(known, { state, isStale: false })
        continue
      }
      const isOwner = sameAddress(state.owner, this.#input.owner)
      const wallet: Wallet = { state, isStale: false, isOwner, announced: new Map(), paid: new Set() }
      this.#wallets.set(address, wallet)
      if (isOwner) added.push(wallet)
    }
    if (added.length > 0) this.#searches.push({ wallets: added, unread: [this.#everything()] })
  }

  async #findPayouts(onProgress: OnProgress, problems: string[]): Promise<void> {
    for (const search of this.#searches) {
      if (search.unread.length === 0) continue
      const { wallets } = search
      const payers = wallets.map(({ state }) => addressTopic(state.address))
      const all = wallets.map(({ state }) => state.contracts)
      const { logs, unread, reason } = await searchLogs(
        this.#node,
        [
          { address: distinct(all.map(({ escrow }) => escrow)), topics: [topics.payoutAnnounced, null, payers] },
          { address: distinct(all.map(({ usdc }) => usdc)), topics: [topics.transfer, payers] },
        ],
        search.unread,
        onProgress,
      )
      const byAddress = new Map(wallets.map((wallet) => [lower(wallet.state.address), wallet]))
      for (const log of logs[0]!) note(byAddress.get(addressIn(log.topics[2]!)), log)
      // Anyone can have USDC log a transfer of nothing in the wallet's name.
      for (const log of logs[1]!)
        if (wordAt(log.data, 0) > 0n) byAddress.get(addressIn(log.topics[1]!))?.paid.add(addressIn(log.topics[2]!))
      search.unread = unread
      if (unread.length > 0) problems.push(notSearched('unclaimed payouts', unread, reason))
    }
  }

  async #readBalances(problems: string[]): Promise<void> {
    const missing = [...this.#wallets.values()].flatMap((wallet) => {
      const token = wallet?.state.contracts.usdc
      const payouts = [...(wallet?.announced.values() ?? [])]
      return payouts.flatMap((payout) =>
        payout.held === null && wallet?.paid.has(payout.address) ? [{ token: token!, payout }] : [],
      )
    })
    const balances = await this.#node.readAll(missing.map(({ token, payout }) => balanceOf(token, payout.address)))
    let [unread, error]: [number, Error | null] = [0, null]
    for (const [i, balance] of balances.entries()) {
      if (balance instanceof Error) [unread, error] = [unread + 1, balance]
      else missing[i]!.payout.held = balance
    }
    const what = unread === 1 ? 'The balance of a payout' : `The balances of ${unread} payouts`
    if (error) problems.push(problemOf(what, error))
  }
}

/** Adds an announced payout to its payer. Anyone can announce a payout again, or under another escrow. */
function note(payer: Wallet | undefined, log: Log): void {
  if (!payer || !sameAddress(payer.state.contracts.escrow, log.address)) return
  const terms = announcedTerms(log)
  const address = lower(payoutAddress(payer.state.contracts, terms))
  if (!payer.announced.has(address)) payer.announced.set(address, { id: log.topics[1]!, terms, address, held: null })
}

function hasMoney(wallet: Wallet | null): boolean {
  if (!wallet) return false
  const { usdc, ether } = wallet.state
  return usdc > 0n || ether > 0n || [...wallet.announced.values()].some(({ held }) => held)
}

const problemOf = (what: string, error: Error) =>
  error instanceof WrongAddress ? error.message : `${what}: ${reasonOf(error)}.`

function notSearched(what: string, unread: BlockRange[], reason: string): string {
  const shown = unread.slice(0, 3).map(blocksText)
  const more = unread.length > shown.length ? ' and others' : ''
  const isOne = unread.length === 1 && unread[0]!.fromBlock === unread[0]!.toBlock
  const blocks = isOne ? `Block ${shown[0]} was` : `Blocks ${shown.join(', ')}${more} were`
  return `${blocks} not searched for ${what}: ${reason}.`
}

const blocksText = ({ fromBlock, toBlock }: BlockRange) =>
  fromBlock === toBlock ? String(toBlock) : `${fromBlock}–${toBlock}`

const lower = (address: Address) => address.toLowerCase() as Address
const distinct = (addresses: Address[]) => [...new Set(addresses.map(lower))]
