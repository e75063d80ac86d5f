/** The recovery page's look-up while strangers write to the chain and the node has the limits of public nodes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex, zeroHash } from 'viem'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { LookUp, type LookUpInput } from '#web/recovery/lookUp.ts'
import { EthereumNode } from '#web/recovery/node.ts'
import { WrongAddress } from '#web/recovery/wallet.ts'
import { create2Deployer } from '../../contracts/deployment.ts'
import { agentWalletAbi, payoutEscrowAbi } from '../../worker/chain/abi.ts'
import { payoutAddress } from '../../worker/chain/addresses.ts'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import {
  createWallet,
  createWalletData,
  party,
  signSend,
  startLocalChain,
  type TestWallet,
} from '../support/localChain.ts'
import { startPublicNode } from '../support/publicNode.ts'

const fakePayouts = 600n
const chain = await startLocalChain()
const node = await startPublicNode(chain.url)
/** Two wallets of one owner; `empty` was created first. */
const paying = await createWallet(chain, 'recovered')
const empty = await createWallet(chain, 'recovered', { salt: zeroHash })
/** The wallet of another owner, for which a stranger announces payouts. */
const spammed = await createWallet(chain, 'spammed')
const stranger = await deployStranger(paying.owner.address)

await byStranger('pretendCreation', `0x${'0'.repeat(36)}dead`)
for (const wallet of [empty, paying, spammed])
  await chain.submit(chain.contracts.factory, createWalletData(wallet.parameters))
for (const { address } of [paying, spammed]) await chain.mint(address, usdc('100'))
const firstPayout = await createPayout(paying, '7.5', 0)
await createPayout(paying, '0.25', 1)
await createPayout(spammed, '3', 0)
await byStranger('announce', chain.contracts.escrow, spammed.address, fakePayouts)
await byStranger('transferNothing', chain.contracts.escrow, spammed.address, fakePayouts)
await createPayout(spammed, '4', 1)
await byStranger('pretendCreation', stranger.address)

afterAll(async () => {
  await node.stop()
  await chain.stop()
})
beforeEach(() => {
  Object.assign(node, { limits: {}, requests: 0 })
})

const everything = () => ({
  wallets: [
    { address: paying.address.toLowerCase(), usdc: usdc('92.25'), payouts: [usdc('7.5'), usdc('0.25')] },
    { address: empty.address.toLowerCase(), usdc: 0n, payouts: [] },
  ],
  problems: [],
})

const spammedWallet = () => ({
  wallets: [{ address: spammed.address.toLowerCase(), usdc: usdc('93'), payouts: [usdc('3'), usdc('4')] }],
  problems: [],
})

test('contracts that pretend to have created a wallet are not asked, and hide nothing @recovery-1', async () => {
  expect(await run(lookUp())).toEqual(everything())
})

test('600 announced payouts that the wallet has not paid cost no requests @recovery-2', async () => {
  expect(await run(lookUp({ owner: spammed.owner.address }))).toEqual(spammedWallet())
  expect(node.requests).toBeLessThan(20)
})

test('more logs in one block than the node returns are read from its receipts @recovery-3', async () => {
  node.limits = { logs: 100, blocks: 10 }
  expect(await run(lookUp({ owner: spammed.owner.address }))).toEqual(spammedWallet())
})

test.each([
  ['ten blocks', { blocks: 10 }],
  ['single requests', { batch: 1 }],
  ['little of everything', { logs: 2, blocks: 3, batch: 3 }],
])('a node that allows only %s shows everything @recovery-4', async (_, limits) => {
  node.limits = limits
  expect(await run(lookUp())).toEqual(everything())
})

test('a node that refuses for a moment is asked again, after longer and longer pauses @recovery-5', async () => {
  const pauses: number[] = []
  const sleep = async (ms: number) => {
    pauses.push(ms)
    if (ms === 4_000) node.limits = {}
  }
  node.limits = { requests: 8 }
  expect(await run(lookUp({}, sleep))).toEqual(everything())
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000])
})

test('whenever the node stops to answer, trying again reads the rest @recovery-6', async () => {
  const outcomes = new Set<string>()
  for (let answered = 1; !outcomes.has('complete'); answered += 4) {
    node.limits = { requests: answered, blocks: 10 }
    const search = lookUp()
    const found = await run(search)
    outcomes.add(found.problems.length === 0 ? 'complete' : `${found.wallets.length} wallets`)
    for (const wallet of found.wallets)
      expect(everything().wallets.map(({ address }) => address)).toContain(wallet.address)
    node.limits = { blocks: 10 }
    expect(await run(search), `after ${answered} requests`).toEqual(everything())
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(['0 wallets', '2 wallets']))
})

test('a wallet, a payout or a block that cannot be read does not hide the others @recovery-7', async () => {
  const { wallets } = everything()
  const isOf = (address: string, params: unknown[]) => JSON.stringify(params).toLowerCase().includes(address)
  node.limits = { refuses: ({ params }) => isOf(wallets[1]!.address, params.slice(0, 1)) && !isOf('topics', params) }
  expect(await run(lookUp())).toEqual({
    wallets: [wallets[0]],
    problems: [`Wallet ${wallets[1]!.address}: the node refused it (refused).`],
  })
  node.limits = {
    refuses: ({ method, params }) => method === 'eth_call' && isOf(firstPayout.slice(2).toLowerCase(), params),
  }
  expect(await run(lookUp())).toEqual({
    wallets: [{ ...wallets[0], payouts: [usdc('0.25')] }, wallets[1]],
    problems: ['The balance of a payout: the node refused it (refused).'],
  })
  const created = await blockOf(wallets[1]!.address)
  node.limits = { refuses: ({ method, params }) => /Logs|Receipts/.test(method) && spans(created, params) }
  const search = lookUp()
  expect(await run(search)).toEqual({
    wallets: [wallets[0]],
    problems: [
      `Block ${created} was not searched for your wallets: the node refused it (refused).`,
      `Block ${created} was not searched for unclaimed payouts: the node refused it (refused).`,
    ],
  })
  node.limits = {}
  expect(await run(search)).toEqual(everything())
})

test('only wallets of known factories are shown, even if their address is typed @recovery-8', async () => {
  const { wallets } = everything()
  expect(await run(lookUp({ factories: [], factory: chain.contracts.factory, wallet: paying.address }))).toEqual({
    wallets: [wallets[0]],
    problems: [],
  })
  const typed = (input: Partial<LookUpInput>) => run(lookUp(input))
  await expect(typed({ wallet: stranger.address })).rejects.toThrow(
    'was not created by a wallet factory that this page',
  )
  await expect(typed({ wallet: party('nobody').address })).rejects.toThrow('There is no contract at')
  await expect(typed({ factory: party('nobody').address })).rejects.toThrow(WrongAddress)
})

test('a search can be stopped and continued @recovery-10', async () => {
  node.limits = { blocks: 10 }
  const search = lookUp()
  await search.run({ searching: () => () => false, onChange: () => {} })
  expect(outcomeOf(search)).toMatchObject({
    wallets: [],
    problems: [expect.stringContaining('you stopped the search')],
  })
  expect(await run(search)).toEqual(everything())
})

// Last, because it changes a balance.
test('after a transaction, only its wallet and payouts are read again, if need be on trying again @recovery-9', async () => {
  const search = lookUp()
  await run(search)
  await chain.mint(empty.address, 1n)
  node.requests = 0
  await search.refresh(empty.address)
  expect(node.requests).toBeLessThanOrEqual(4)
  const after = everything()
  after.wallets[1]!.usdc = 1n
  expect(outcomeOf(search)).toEqual(after)

  node.limits = { refuses: ({ method }) => method === 'eth_getCode' }
  await search.refresh(empty.address)
  expect(outcomeOf(search).problems).toEqual([expect.stringMatching(/^Wallet 0x.*the node refused it/)])
  node.limits = {}
  await chain.mint(empty.address, 1n)
  after.wallets[1]!.usdc = 2n
  expect(await run(search)).toEqual(after)
})

function lookUp(input: Partial<LookUpInput> = {}, sleep: (ms: number) => Promise<void> = async () => {}): LookUp {
  const usual = { owner: paying.owner.address, wallet: null, factories: [chain.contracts.factory], factory: null }
  return new LookUp(new EthereumNode(node.url, { sleep }), { ...usual, fromBlock: 0, ...input })
}

async function run(search: LookUp) {
  await search.run({ searching: () => () => true, onChange: () => {} })
  return outcomeOf(search)
}

const outcomeOf = ({ wallets, problems }: LookUp) => ({
  wallets: wallets.map(({ state, payouts }) => ({
    address: state.address,
    usdc: state.usdc,
    payouts: payouts.map(({ held }) => held),
  })),
  problems,
})

async function deployStranger(victim: Address): Promise<{ address: Address; abi: Abi }> {
  const path = join(import.meta.dirname, '../../contracts/out/Stranger.sol/Stranger.json')
  const { abi, bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { abi: Abi; bytecode: { object: Hex } }
  const initCode = encodeDeployData({ abi, bytecode: bytecode.object, args: [victim] })
  await chain.submit(create2Deployer, `${zeroHash}${initCode.slice(2)}`)
  const address = getContractAddress({ opcode: 'CREATE2', from: create2Deployer, bytecode: initCode, salt: zeroHash })
  return { address, abi }
}

function byStranger(functionName: string, ...args: unknown[]) {
  return chain.submit(stranger.address, encodeFunctionData({ abi: stranger.abi, functionName, args }))
}

/** Makes a payout as Bursar does, announced and then paid by the wallet, and returns its address. */
async function createPayout(
  { address: payer, session }: TestWallet,
  amount: string,
  sequence: number,
): Promise<Address> {
  const deadline = (await chain.now()) + 600
  const [claimKey, reclaimKey] = [party('claim').address, party('reclaim').address]
  const terms = { payer, claimKey, reclaimKey, amount: usdc(amount), expiry: deadline }
  const announcement = encodeFunctionData({ abi: payoutEscrowAbi, functionName: 'announce', args: [terms] })
  await chain.submit(chain.contracts.escrow, announcement)
  const address = payoutAddress(chain.contracts, terms)
  const { to, nonce, r, vs } = signSend(
    chain,
    { address: payer, session },
    {
      to: address,
      amount: terms.amount,
      sequence,
      deadline,
    },
  )
  const args = [to, terms.amount, nonce, deadline, r, vs] as const
  await chain.submit(payer, encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args }))
  return address
}

/** The block in which a wallet was created. */
async function blockOf(wallet: string): Promise<number> {
  const logs = await chain.client.getLogs({ address: chain.contracts.factory, fromBlock: 0n })
  return Number(logs.find(({ topics }) => topics[1]!.endsWith(wallet.slice(2)))!.blockNumber)
}

/** Whether a request for logs includes the block. */
function spans(block: number, [filter]: unknown[]): boolean {
  const { fromBlock, toBlock } = typeof filter === 'string' ? { fromBlock: filter, toBlock: filter } : (filter as Range)
  return Number(fromBlock) <= block && block <= Number(toBlock)
}
type Range = { fromBlock: string; toBlock: string }
