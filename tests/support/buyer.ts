/** A Treasury in memory whose session key may make purchases, with a chain that only the test moves. */

import { numberToHex } from 'viem/utils'
import type { Limits } from '#domain/limits.ts'
import { microUsdc } from '#domain/money.ts'
import { addressTopic, topics } from '../../worker/chain/calls.ts'
import { domainSeparator } from '../../worker/chain/digests.ts'
import type { Address, Block, Chain, Hex, Log } from '../../worker/chain/types.ts'
import { heads } from '../../worker/treasury/core/chainHeads.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import { usdcDomains } from '../../worker/treasury/core/token.ts'
import { accept } from '../../worker/treasury/payments/accept.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import { book as bookLogs } from '../../worker/treasury/settlement/booking.ts'
import { releaseDead } from '../../worker/treasury/settlement/release.ts'
import { undoBookings } from '../../worker/treasury/settlement/undo.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { createBook } from './book.ts'
import { addressOf, allScopes, type PayFields, payInput } from './build.ts'
import { noLimits } from './limits.ts'

/** As domain/limits.ts has them, with all other limits lifted. */
export const openLimits = { openPurchases: 20, openPurchasesPerSeller: 5 }

const key: Hex = `0x${'5'.repeat(64)}`
const lifeSeconds = 60

/** `confirmed`: the hosts that have confirmed every address. */
export function createBuyer(over: { allowance?: number; limits?: Partial<Limits>; funds?: string } = {}) {
  const { allowance = 50, limits = {}, funds = '1000' } = over
  const book = createBook({ funds, sessionLimit: '100', limits: { ...noLimits, ...limits } })
  const { context, store, clock } = book
  store.run('UPDATE session SET purchase_allowance = ?', allowance)
  const { usdc } = context.chains[8453]
  usdcDomains(context).set(8453, {
    ...{ name: 'USD Coin', version: '2' },
    separator: domainSeparator('USD Coin', 8453, usdc, '2'),
  })
  const blockNow = (): Block => {
    const timestamp = Math.floor(clock.now / 1000)
    return { number: timestamp - 1_760_000_000, timestamp, hash: numberToHex(timestamp, { size: 32 }) } as Block
  }
  /** What the next call finds in memory: the newest block, and the key. */
  const read = () => {
    heads(context).set(8453, { block: blockNow(), readAt: clock.now })
    openKeys(context).set('wal:1', key)
  }
  read()
  /** Logs of settled purchases: what eth_getLogs returns. */
  const settled: Log[] = []
  context.chains[8453] = {
    ...{ chainId: 8453, usdc, contractSets: context.chains[8453].contractSets, hasSecond: false },
    finalized: async () => blockNow(),
    logs: async (filters: { topics: (Hex | Hex[])[] }[]) =>
      filters.map(({ topics: wanted }) => settled.filter((log) => log.topics[2] === wanted[2])),
    blockLogs: async () => {},
    call: async ({ to }: { to: Address }) => {
      if (to === store.wallet('wal')!.address && refuses.rotation !== null) throw refuses.rotation
      return numberToHex(0, { size: 32 })
    },
    walletState: async () => walletState,
  } as unknown as Chain

  /** How the wallet refuses rotations; null if it accepts them. */
  const refuses: { rotation: Error | null } = { rotation: null }
  /** As the wallet says that Bursar may not rotate its session key. */
  const walletState = {
    ...{ sessionKey: store.wallet('wal')!.session_key, epoch: 1, validUntil: 4_000_000_000, timestamp: 1 },
    ...{ rotationDisabled: true, sessionRevoked: false, remaining: 0n, purchaseAllowance: allowance },
  }
  context.env.CONFIRM_DEPTH = '1'

  const group = book.addGroup({ scopes: [...allScopes, 'x402_payments:write'] })

  /** Hosts whose every address is confirmed. */
  function confirm(host: string, address: Address) {
    store.run(
      'INSERT OR REPLACE INTO seller (pair, chain_id, confirmed_at, asked_at) VALUES (?, 8453, ?, ?)',
      `${host} ${address.toLowerCase()}`,
      clock.now,
      clock.now,
    )
  }

  const purchase = (over: PayFields & { seller?: number; host?: string } = {}): PayInput => {
    const { seller = 1, host = `shop-${seller}.example`, ...fields } = over
    const address = addressOf(seller)
    const to = { type: 'x402', address, resource: `GET https://${host}/data` } as const
    const offer = { accepted: { scheme: 'exact', payTo: address, maxTimeoutSeconds: lifeSeconds } }
    return { ...payInput({ to, amount: microUsdc(280_000n), ...fields }), offer }
  }
  const gathered: Gathered = { draft: null, lookup: null, refresh: 'done', grants: {}, signer: true }
  /** Buys from a confirmed seller. */
  function buy(over: Parameters<typeof purchase>[0] & { seller?: number } = {}) {
    const input = purchase(over)
    const to = input.terms.to as { address: Address; resource: string }
    confirm(new URL(to.resource.slice(4)).host, to.address)
    return accept(context, input, { ...gathered, lookup: { address: to.address, found: 'clear' } })
  }

  /** The seller settles it in the block of this moment. */
  function settle(payment: PaymentRow): void {
    const { number, hash } = blockNow()
    const place = { blockNumber: number, blockHash: hash, transactionHash: payment.authorization! }
    const wallet = store.wallet('wal')!
    const from = addressTopic(wallet.address)
    const used = {
      ...place,
      address: usdc,
      logIndex: 0,
      topics: [topics.authorizationUsed, from, payment.authorization!],
    }
    const transfer = {
      ...{ ...place, address: usdc, logIndex: 1 },
      topics: [topics.transfer, from, addressTopic(payment.to_address!)],
      data: numberToHex(payment.amount, { size: 32 }),
    }
    settled.push({ ...used, data: '0x' } as Log)
    store.transaction(() =>
      bookLogs(context, wallet, { own: [used] as Log[], transfers: [transfer] as Log[], announced: [], dust: [] }),
    )
  }

  /** Lets so many seconds pass; everything before the new block is final. */
  async function pass(seconds: number): Promise<void> {
    clock.now += seconds * 1_000
    read()
    // Each round releases some of them, as each reading of the chain does.
    for (let before = -1; before !== open().length; ) {
      before = open().length
      await releaseDead(context, store.wallet('wal')!, blockNow())
    }
  }

  /** The chain's newest blocks are replaced by others, without what was settled in them. */
  function reorganize(): void {
    undoBookings(context, 'wal', {})
    settled.length = 0
    read()
  }

  const open = () =>
    store.all<PaymentRow>(
      "SELECT * FROM payment WHERE kind = 'x402' AND status = 'PROCESSING' ORDER BY accepted_at, id",
    )

  return { ...book, reorganize, refuses, walletState, group, buy, purchase, confirm, settle, pass, open, blockNow }
}
export type Buyer = ReturnType<typeof createBuyer>
