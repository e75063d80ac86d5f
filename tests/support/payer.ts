/** A user with a funded wallet, a group and an agent, created directly through the Treasury, for tests of payments. */

import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env as bindings } from 'cloudflare:workers'
import type { ContractFunctionArgs, EncodeFunctionDataParameters } from 'viem'
import { encodeFunctionData, keccak256, toHex } from 'viem/utils'
import { expect } from 'vitest'
import { checksumAddress } from '#domain/validators.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { relayerAccount } from '../../worker/relayer/account.ts'
import { unwrap } from '../../worker/result.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import { snapshots } from '../../worker/treasury/wallets/snapshots.ts'
import { agentInput, agentPrincipal, allScopes, groupInput, type PayFields, payInput, usdc } from './build.ts'
import { patient } from './patience.ts'
import { inTreasury, rowsOf, treasuryOf } from './treasuries.ts'
import { env, party, WorkerChain } from './workerChain.ts'

export const chain = new WorkerChain(8453)
/** For tests that move chain time: mines blocks only when a test asks for them. */
export const manualChain = new WorkerChain(84532)
let people = 0

/** An address without a key: deriving a key's address costs ten times as much. */
export const fresh = (name: string): Address => {
  const hash = keccak256(toHex(`${name} ${people} ${Math.random()}`))
  return checksumAddress(`0x${hash.slice(-40)}`)
}

const toFresh = () => ({ type: 'address', address: fresh('recipient') }) as const

export async function prepare(): Promise<void> {
  const { TEST_MIGRATIONS } = bindings as unknown as { TEST_MIGRATIONS: D1Migration[] }
  await applyD1Migrations(env.DB, TEST_MIGRATIONS)
  for (const each of [chain, manualChain])
    await each.giveEther(relayerAccount(env.RELAYER_SEED_V1, each.chainId, 0).address, 10n ** 20n)
}

/** Leaves time for work that a kill interrupted, which is repeated after 20 seconds. */
const untilMs = patient(45_000)

export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  withinMs = untilMs,
): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Reads the payments and the books of a user's wallet. */
export function readerOf(userId: string, walletId: string) {
  const treasury = () => treasuryOf(userId)
  const wallets = () => treasury().wallets()
  const policies = () => treasury().policies()
  const status = async (id: string) => {
    const found = await treasury().transaction(id)
    return found.ok ? found.value.status : found.message
  }
  /** Waits until the payment is at rest, and returns it. */
  const final = (id: string) =>
    until(`payment ${id} final`, async () => {
      const found = await treasury().transaction(id)
      return found.ok && ['CONFIRMED', 'FAILED', 'PENDING', 'CANCELLED'].includes(found.value.status) && found.value
    })
  /** Waits until the payout has `status`, and returns it. */
  const payoutBecomes = (id: string, status: string) =>
    until(`payout ${id} ${status}`, async () => {
      const found = await treasury().escrow(id)
      return found.ok && found.value.status === status && found.value
    })
  const ledger = async () => unwrap(await treasury().reports().walletLedger(walletId))
  /** Checks I1, and that the ledger at rest equals the chain to one micro-USDC. */
  const booksBalance = async () => {
    const books = await ledger()
    const sum = (...texts: string[]) => texts.reduce((total, text) => total + usdc(text), 0n)
    expect(sum(books.deposits, books.returns), 'I1').toBe(sum(books.available, books.held, books.out, books.withdrawn))
    expect(usdc(books.chainBalance!), 'ledger = chain').toBe(sum(books.available, books.held))
    return books
  }
  return { treasury, wallets, policies, status, final, payoutBecomes, ledger, booksBalance }
}

export type Payer = Awaited<ReturnType<typeof createPayer>>
/** What payers and users with an imported wallet have in common. */
export type WalletUser = Pick<Payer, 'userId' | 'wallet' | keyof ReturnType<typeof readerOf>>

export async function createPayer(
  over: {
    funds?: string
    limit?: string | null
    scopes?: string[]
    agents?: number
    on?: WorkerChain
    purchaseAllowance?: number
  } = {},
) {
  const on = over.on ?? chain
  people += 1
  const userId = `usr_${people}_${Math.random().toString(36).slice(2)}`
  const treasury = () => treasuryOf(userId)
  const owner = party(`${userId} owner`)
  /** Calls the wallet as its owner, without us. */
  async function callWallet<Name extends 'setSession' | 'withdraw' | 'reclaimPayout'>(
    functionName: Name,
    args: ContractFunctionArgs<typeof agentWalletAbi, 'nonpayable', Name>,
  ) {
    const data = encodeFunctionData({ abi: agentWalletAbi, functionName, args } as EncodeFunctionDataParameters)
    await on.act(owner.address, wallet.address as Address, data)
  }
  const { purchaseAllowance } = over
  const deploy = { key: null, owner: owner.address, chainId: on.chainId, name: 'Ops', purchaseAllowance }
  const wallet = unwrap(await treasury().wallets().deploy(deploy))
  await until('wallet active', async () => {
    if (on === manualChain) await on.mine()
    return (await treasury().wallets().list()).find((entry) => entry.status === 'active')
  })
  const funds = usdc(over.funds ?? '200')
  if (funds > 0n) await on.mint(wallet.address as Address, funds)
  const limit = over.limit === undefined ? '50' : over.limit
  const input = groupInput({
    spendLimit: limit === null ? null : usdc(limit),
    scopes: over.scopes ?? allScopes,
    walletId: wallet.id,
    contacts: [{ id: 'contact_1', name: 'Ada', address: party('ada').address, email: 'ada@example.com', phone: null }],
  })
  const group = unwrap(await treasury().policies().createGroup(input))
  const principals: Principal[] = []
  for (let i = 0; i < (over.agents ?? 1); i++) {
    const id = `agt_${userId}_${i}`
    unwrap(
      await treasury()
        .policies()
        .createAgent(agentInput({ id, policyGroupId: group.id })),
    )
    principals.push(agentPrincipal(id))
  }
  const reader = readerOf(userId, wallet.id)
  const { ledger } = reader
  const groupNow = async () =>
    (await treasury().policies().groups()).find((entry) => entry.policyGroup.id === group.id)!.policyGroup
  /** 1 USDC to a new address by the first agent, unless `over` says otherwise. The user pays from this wallet. */
  const payment = (over: PayFields = {}) => {
    const { principal = principals[0]! } = over
    const from = principal.type === 'user' ? wallet.id : null
    return payInput({ principal, wallet: from, to: toFresh(), ...over })
  }
  /** Pays as an agent. */
  const pay = (over: PayFields = {}) => treasury().payAsAgent(payment(over))
  /** Waits until all reclaims are final, which is when their amounts return to the budget. */
  const returnedIsFinal = () =>
    until('reclaimed payouts are final', async () => {
      await ledger()
      return (await rowsOf(userId, 'SELECT 1 FROM payout WHERE returned_block IS NOT NULL')).length === 0
    })
  /** Reads the wallet with its deposit. The snapshot never ages; only what the Treasury learns replaces it. */
  const lookStaysFresh = async () => {
    await ledger()
    await inTreasury(userId, ({ context }) => {
      snapshots(context).get(wallet.id)!.at = Number.POSITIVE_INFINITY
    })
  }
  return {
    userId,
    owner,
    callWallet,
    wallet,
    group,
    principals,
    groupNow,
    ...reader,
    payment,
    pay,
    returnedIsFinal,
    lookStaysFresh,
  }
}

/** The payment by the payer's agent, which must be accepted. */
export const accepted = async (payer: Payer, over: PayFields = {}) => unwrap(await payer.pay(over)).payment
