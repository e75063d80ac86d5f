/**
 * Adds a second contract set while payouts are open and payments are in flight. Runs the sample's Worker, whose clock can
 * be moved, to test the return of a payout at expiry.
 *
 * @module-tag all
 */
import { randomUUID } from 'node:crypto'
import { pad } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { reclaimPayout, withdraw } from '#chain/ownerCalls.ts'
import { hourMs } from '#domain/time.ts'
import type { PublicConfig } from '#schemas/account.ts'
import type { CreateEscrowReply, Escrow } from '#schemas/escrow.ts'
import type { Wallet, WalletLedger } from '#schemas/wallet.ts'
import { ownerSecretOf } from '#web/lib/ownerSecret.ts'
import { LookUp } from '#web/recovery/lookUp.ts'
import { EthereumNode } from '#web/recovery/node.ts'
import { deployContracts } from '../../contracts/deployment.ts'
import { until } from '../../local/client.ts'
import { startClock } from '../../local/sample/clock.ts'
import { walletAddress } from '../../worker/chain/addresses.ts'
import { contractSetting, withContracts } from '../../worker/chain/contractSets.ts'
import { RpcClient } from '../../worker/chain/rpcClient.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Address, Contracts, Hex } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { patient } from '../support/patience.ts'
import { addressFor, chainReader } from '../support/stackClient.ts'
import { createFundedWallet, createTestStack, signIn } from '../support/testStack.ts'

const stack = await createTestStack({ entry: 'local/sample/worker.ts' })
afterAll(() => stack.stop())
const first = stack.contracts[8453]
let token = await signIn(stack.bursar)

const owner = ownerSecretOf(generatePrivateKey())

test(
  'old payouts keep their contract set, new wallets use the new one, and the owner withdraws from both @sets-8',
  async () => {
    const [old, imported] = await Promise.all([
      createFundedWallet(stack.bursar, token, { owner: owner.address, name: 'Old', funds: '100' }),
      importWallet('20'),
    ])
    const open = await Promise.all([
      createPayout(old, '5'),
      createPayout(old, '7'),
      createPayout(old, '8', 1),
      createPayout(old, '9'),
      createPayout(imported, '4'),
    ])
    const [claimed, reclaimed, expiring, , fromImported] = open
    await Promise.all(open.map((payout) => payoutIs(payout, 'CREATED')))
    const inFlight = await createPayout(old, '2')
    const sent = await pay(old, addressFor('shop'), '1')

    const second = await changeContracts()
    expect((await stack.bursar.api<PublicConfig>('/config')).chains[8453]).toMatchObject({
      contracts: second,
      contractSets: { 1: first, 2: second },
    })

    // Payouts and payments from before the change.
    await until('the send', async () => (await transaction(sent)).status === 'CONFIRMED')
    await payoutIs(inFlight, 'CREATED')
    await stack.bursar.api(`/escrow/${reclaimed.id}/reclaim`, { token, key: randomUUID(), body: {} })
    await Promise.all([claim(claimed, 'ada'), claim(fromImported, 'bob'), payoutIs(reclaimed, 'RECLAIMED')])
    for (const contracts of [first, second])
      await expect(pay(old, contracts.escrow, '1')).rejects.toThrow('cannot receive payments')

    // New wallets, and new payouts of old and imported wallets.
    const fresh = await createFundedWallet(stack.bursar, token, { owner: owner.address, name: 'New', funds: '50' })
    expect([old.contractSet, old.factory, fresh.contractSet, fresh.factory]).toEqual([
      1,
      first.factory,
      2,
      second.factory,
    ])
    for (const [wallet, contracts] of [[old, first] as const, [fresh, second] as const])
      expect(walletAddress(contracts, parametersOf(wallet)).toLowerCase()).toBe(wallet.address.toLowerCase())
    const later = await Promise.all([createPayout(old, '3'), createPayout(fresh, '3'), createPayout(imported, '3')])
    expect(later.map(({ terms }) => [terms.contractSet, terms.escrow])).toEqual([
      [1, first.escrow],
      [2, second.escrow],
      [2, second.escrow],
    ])
    await Promise.all(later.map((payout) => payoutIs(payout, 'CREATED')))
    await Promise.all(later.map((payout, i) => claim(payout, `recipient ${i}`)))
    const [freshKept] = await Promise.all([createPayout(fresh, '6'), rotate(old), rotate(fresh)])
    await payoutIs(freshKept, 'CREATED')

    const clock = await startClock(stack.url, [stack.rpc[8453], stack.rpc[84532]], Date.now())
    await clock.goTo(Date.now() + 26 * hourMs)
    token = await signIn(stack.bursar)
    await payoutIs(expiring, 'RECLAIMED')

    await stack.stopWorker()
    const home = addressFor('home')
    expect(await leave(home, [first.factory, second.factory])).toEqual([
      { escrow: first.escrow.toLowerCase(), reclaimed: [usdc('9'), usdc('2')], withdrawn: usdc('91') },
      { escrow: second.escrow.toLowerCase(), reclaimed: [usdc('6')], withdrawn: usdc('47') },
    ])
    expect(await chainReader(stack.rpc[8453], first.usdc).balanceOf(home)).toBe(usdc('138'))

    await stack.restartWorker()
    token = await signIn(stack.bursar)
    for (const [wallet, withdrawn] of [[old, '91'] as const, [fresh, '47'] as const])
      await until('the books to follow', async () => {
        const books = await stack.bursar.api<WalletLedger>(`/wallets/${wallet.id}/ledger`, { token })
        return books.withdrawn === withdrawn && books.escrowed === '0' && books.available === '0'
      })
  },
  patient(180_000),
)

/** Stops the Worker, deploys the same contracts at other addresses, and restarts the Worker with both sets. */
async function changeContracts(): Promise<Contracts> {
  await stack.stopWorker()
  const deployerKey = generatePrivateKey()
  await rpc('anvil_setBalance', [privateKeyToAddress(deployerKey), '0xde0b6b3a7640000'])
  const second = await deployContracts(stack.rpc[8453], {
    providerAdmin: addressFor('admin'),
    operator: addressOf(`0x${stack.secrets.OPERATOR_KEY_V1}`),
    usdcAdmin: addressFor('admin'),
    usdc: first.usdc,
    salt: pad('0x02'),
    deployerKey,
  })
  stack.vars.CONTRACTS_8453 = contractSetting(withContracts(stack.contractSets[8453], second))
  await stack.restartWorker()
  return second
}

/** Reclaims and withdraws everything with the recovery page's code, using only the owner's key, a node and the factories. */
async function leave(home: Address, factories: Address[]) {
  await rpc('anvil_setBalance', [owner.address, '0xde0b6b3a7640000'])
  const node = new EthereumNode(stack.rpc[8453])
  const search = new LookUp(node, { owner: owner.address, wallet: null, factories, factory: null, fromBlock: 0 })
  await search.run({ searching: () => () => true, onChange: () => {} })
  expect(search.problems).toEqual([])
  const wallets: { escrow: Address; reclaimed: bigint[]; withdrawn: bigint }[] = []
  for (const { state, payouts } of search.wallets) {
    for (const { terms } of payouts) await node.send(owner, state.address, reclaimPayout(terms))
    await search.refresh(state.address)
    const { usdc: withdrawn, contracts } = search.wallets.find(
      (wallet) => wallet.state.address === state.address,
    )!.state
    await node.send(owner, state.address, withdraw(contracts.usdc, home, withdrawn))
    wallets.push({ escrow: contracts.escrow, reclaimed: payouts.map(({ held }) => held), withdrawn })
  }
  return wallets
}

const rpc = (method: string, params: unknown[]) => new RpcClient(stack.rpc[8453]).request(method, params)

const parametersOf = (wallet: Wallet) => ({
  owner: wallet.ownerAddress as Address,
  salt: wallet.salt as Hex,
  sessionKey: wallet.sessionKeyAddress as Address,
  limit: BigInt(wallet.spendingLimit),
  purchaseAllowance: 0,
  validUntil: wallet.validUntil,
})

async function importWallet(funds: string): Promise<Wallet> {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await stack.bursar.plain('/dev/faucet', { body: { address, amount: funds } })
  const body = { address, chain: 'base', privateKey, masterPassword: 'a long master password' }
  const { id } = await stack.bursar.api<Wallet>('/wallets/with-private-key', { token, key: randomUUID(), body })
  return until('the imported wallet’s money', async () => {
    const wallet = (await stack.bursar.api<Wallet[]>('/wallets', { token })).find((each) => each.id === id)
    return wallet?.usdcBalance?.balance === funds && wallet
  })
}

/** Rotates the session key, under the authority of the Provider of the wallet's set. */
async function rotate({ id, sessionKeyAddress }: Wallet): Promise<void> {
  const body = { spendingLimit: '500000000', ttlHours: 240 }
  const path = `/wallets/smart-wallets-v2/${id}/rotate-session-key`
  await stack.bursar.api(path, { token, key: randomUUID(), body })
  await until('a new session', async () => {
    const wallets = await stack.bursar.api<Wallet[]>('/wallets', { token })
    return wallets.find((wallet) => wallet.id === id)!.sessionKeyAddress !== sessionKeyAddress
  })
}

async function pay({ id }: Wallet, toAddress: Address, amount: string): Promise<string> {
  const body = { walletId: id, toAddress, amount }
  const reply = await stack.bursar.api<{ id: string }>('/transactions/send', { token, key: randomUUID(), body })
  return reply.id
}

const transaction = (id: string) => stack.bursar.api<{ status: string }>(`/transactions/${id}`, { token })

async function createPayout({ id }: Wallet, amount: string, expiresInDays = 30): Promise<CreateEscrowReply> {
  const body = { sourceWalletId: id, amount, recipientEmail: 'ada@bursar.test', expiresInDays }
  return stack.bursar.api<CreateEscrowReply>('/escrow/create', { token, key: randomUUID(), body })
}

const payoutIs = ({ id }: CreateEscrowReply, wanted: Escrow['status']) =>
  until(`payout ${wanted}`, async () => {
    const { status } = await stack.bursar.api<Escrow>(`/escrow/${id}`, { token })
    return status === wanted
  })

async function claim(payout: CreateEscrowReply, recipient: string): Promise<void> {
  const accessToken = new URL(payout.claimUrl).pathname.split('/').at(-1)!
  const recipientAddress = addressFor(recipient)
  await stack.bursar.claim(accessToken, payout.passcode!, recipientAddress)
  const held = await chainReader(stack.rpc[8453], first.usdc).balanceOf(recipientAddress)
  expect(held).toBe(usdc(String(Number(payout.terms.amount) / 1e6)))
}
