/** Measures the gas of each action from receipts (`gasUsed`), with the ceiling that it must not exceed. */
import { type Address, concat, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { agentWalletAbi, payoutEscrowAbi, relayAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { payoutAddress } from '../../worker/chain/addresses.ts'
import { authorizationNonce, authorizedTransferCall } from '../../worker/chain/authorization.ts'
import { authorizationDigest } from '../../worker/chain/authorizationDigest.ts'
import { claimDigest, payoutId, reclaimDigest, rotateDigest, type Terms } from '../../worker/chain/digests.ts'
import { signPurchase } from '../../worker/chain/purchase.ts'
import { signCompact } from '../../worker/chain/sign.ts'
import {
  createWallet,
  createWalletData,
  type LocalChain,
  party,
  roles,
  type SignedSend,
  signSend,
  type TestWallet,
} from './localChain.ts'
import { settlePurchaseCall } from './purchases.ts'

export type GasRow = { action: string; gas: number; ceiling: number; floor?: number }

/**
 * Measured with Circle's token behind its proxy, between two holders: a plain transfer, and one by EIP-3009 with v, r, s
 * and a hashed nonce. The stand-in has to be within 1% of both.
 */
export const plainTransferGas = 45_059
export const authorizedTransferGas = 85_720

const amount = 2_500_000n // 2.5 USDC
const day = 86_400

export function packSend(wallet: Address, send: SignedSend): Hex {
  const { to, amount, nonce, deadline, r, vs } = send
  const integers = [
    numberToHex(amount, { size: 8 }),
    numberToHex(nonce, { size: 8 }),
    numberToHex(deadline, { size: 6 }),
  ]
  return concat([wallet, to, ...integers, r, vs])
}

export function sendData({ to, amount, nonce, deadline, r, vs }: SignedSend): Hex {
  const args = [to, amount, nonce, deadline, r, vs] as const
  return encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args })
}

const sendsData = (packed: Hex[]) =>
  encodeFunctionData({ abi: relayAbi, functionName: 'sends', args: [100_000n, concat(packed)] })

/** Every row of the table in order. Creates wallets and payouts with fixed names, so call it once per chain. */
export async function measureGas(chain: LocalChain): Promise<GasRow[]> {
  const { contracts, submit } = chain
  const deadline = (await chain.now()) + day
  const gasOf = async (to: Address, data: Hex) => Number((await submit(to, data)).gasUsed)

  const wallets: TestWallet[] = []
  for (let i = 0; i < 14; i++) wallets.push(await createWallet(chain, `wallet ${i}`))
  const holders = wallets.map((_, i) => party(`holder ${i}`).address)
  for (const address of [...wallets.map((wallet) => wallet.address), ...holders, roles.relayer.address]) {
    await chain.mint(address, 1_000_000_000n)
  }

  const deployments = []
  for (const { parameters } of wallets) deployments.push(await gasOf(contracts.factory, createWalletData(parameters)))

  const transfer = encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [holders[0]!, amount] })
  const plain = await gasOf(contracts.usdc, transfer)

  const authorized = await gasOf(contracts.usdc, await authorizedTransfer(chain, holders[1]!))

  const lone = wallets[13]!
  const send = signSend(chain, lone, { to: holders[13]!, amount, sequence: 0, deadline })
  const alone = await gasOf(lone.address, sendData(send))

  const batch = async (from: number, to: number) => {
    const packed = wallets.slice(from, to).map((wallet, i) => {
      const item = signSend(chain, wallet, { to: holders[from + i]!, amount, sequence: 0, deadline })
      return packSend(wallet.address, item)
    })
    return gasOfEach(chain, packed)
  }
  const batchOf3 = await batch(0, 3)
  const batchOf10 = await batch(3, 13)

  const settling = await gasOf(contracts.usdc, await purchase(chain, holders[2]!))

  const payouts = await measurePayouts(chain, deadline)

  const rotate = (limit: bigint, expectedEpoch: number) => {
    const rotation = {
      newKey: party(`rotated ${expectedEpoch}`).address,
      limit,
      purchaseAllowance: 0,
      validUntil: deadline + 30 * day,
      expectedEpoch,
      deadline,
    }
    const digest = rotateDigest({ chainId: chain.chainId, contract: lone.address }, rotation)
    const { r, vs } = signCompact(digest, roles.operator.key)
    const args = [rotation.newKey, limit, 0, rotation.validUntil, expectedEpoch, deadline, r, vs] as const
    return gasOf(lone.address, encodeFunctionData({ abi: agentWalletAbi, functionName: 'rotateSessionKey', args }))
  }
  const rotateFirst = await rotate(1_000_000_000n, 1)
  const rotateLater = await rotate(2_000_000_000n, 2)

  return [
    { action: 'plain USDC transfer (45,059 ± 1%)', gas: plain, ...within1Percent(plainTransferGas) },
    { action: 'USDC transfer by EIP-3009 (85,720 ± 1%)', gas: authorized, ...within1Percent(authorizedTransferGas) },
    { action: 'wallet deploy with first session', gas: Math.max(...deployments), ceiling: 130_000 },
    { action: 'one send, alone', gas: alone, ceiling: 66_000 },
    { action: 'one send in a batch of 3 wallets', gas: batchOf3, ceiling: Math.min(plain, plainTransferGas) },
    { action: 'one send in a batch of 10 wallets', gas: batchOf10, ceiling: 37_500 },
    { action: 'a purchase, settled by its facilitator', gas: settling, ceiling: 102_000 },
    ...(await measureRunRows(chain, deadline)),
    ...payouts,
    ...(await measureSendOns(chain)),
    { action: 'provider rotation, first of a day', gas: rotateFirst, ceiling: 70_000 },
    { action: 'provider rotation, later', gas: rotateLater, ceiling: 55_000 },
  ]
}

/** Pays all in one batch. */
async function gasOfEach({ contracts, submit }: LocalChain, packed: Hex[]): Promise<number> {
  const { gasUsed, logs } = await submit(contracts.relay, sendsData(packed))
  const transfers = logs.filter((log) => log.address === contracts.usdc.toLowerCase()).length
  if (transfers !== packed.length) throw new Error(`only ${transfers} of ${packed.length} sends were paid`)
  return Math.ceil(Number(gasUsed) / packed.length)
}

/** Rows of a payout run are sends of one wallet, of which the first batch costs most. */
async function measureRunRows(chain: LocalChain, deadline: number): Promise<GasRow[]> {
  const wallet = await createWallet(chain, 'run')
  await chain.submit(chain.contracts.factory, createWalletData(wallet.parameters))
  await chain.mint(wallet.address, 1_000_000_000n)
  let sequence = 0
  const each = (recipients: Address[]) =>
    gasOfEach(
      chain,
      recipients.map((to) => {
        const send = signSend(chain, wallet, { to, amount, sequence, deadline })
        sequence += 1
        return packSend(wallet.address, send)
      }),
    )
  const parties = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => party(`${name} of a row ${i}`).address)
  const holders = parties('holder', 3)
  for (const holder of holders) await chain.mint(holder, amount)
  return [
    { action: 'a row of a run, 3 to holders', gas: await each(holders), ceiling: 37_000 },
    { action: 'a row of a run, 3 to fresh addresses', gas: await each(parties('three', 3)), ceiling: 54_500 },
    { action: 'a row of a run, 10 to fresh addresses', gas: await each(parties('ten', 10)), ceiling: 42_500 },
  ]
}

const within1Percent = (gas: number) => ({ floor: gas * 0.99, ceiling: gas * 1.01 })

/** USDC's call of a purchase for 1 USDC, from a wallet of its own to `to`, who holds USDC already. */
async function purchase(chain: LocalChain, to: Address): Promise<Hex> {
  const buyer = await createWallet(chain, 'buyer', { purchaseAllowance: 50 })
  await chain.submit(chain.contracts.factory, createWalletData(buyer.parameters))
  await chain.mint(buyer.address, 2_000_000n)
  const validBefore = (await chain.now()) + 240
  const bought = { from: buyer.address, to, amount: 1_000_000n, validBefore, epoch: 1, class: 2, number: 0 } as const
  const signature = signPurchase(await usdcSeparator(chain), bought, buyer.session.key)
  return settlePurchaseCall(bought, signature)
}

/** A call that moves `amount` from holder 0 to `to`, both of whom hold USDC before and after. */
async function authorizedTransfer(chain: LocalChain, to: Address): Promise<Hex> {
  const from = party('holder 0')
  const validBefore = (await chain.now()) + day
  const authorization = { from: from.address, to, amount, nonce: authorizationNonce('gas'), validBefore }
  const signature = signCompact(authorizationDigest(await usdcSeparator(chain), authorization), from.key)
  return authorizedTransferCall({ ...authorization, ...signature })
}

/** Transfers that recipients sign (worker/treasury/payments/payouts/sendOn.ts), each from another account. */
async function measureSendOns(chain: LocalChain): Promise<GasRow[]> {
  const { contracts, submit } = chain
  const separator = await usdcSeparator(chain)
  const validBefore = (await chain.now()) + day
  const transfer = async (name: string, to: Address, balance = 2_000_000n) => {
    const from = party(`recipient ${name}`)
    await chain.mint(from.address, balance)
    const authorization = {
      from: from.address,
      to,
      amount: 1_000_000n,
      nonce: authorizationNonce(`send on ${name}`),
      validBefore,
    }
    const signature = signCompact(authorizationDigest(separator, authorization), from.key)
    return authorizedTransferCall({ ...authorization, ...signature })
  }
  const alone = await submit(contracts.usdc, await transfer('alone', party('receiver alone').address))
  const inBatch = async (name: string, to: (i: number) => Address, balance?: bigint) => {
    const list = []
    for (let i = 0; i < 10; i++)
      list.push({ target: contracts.usdc, gasCap: 300_000n, data: await transfer(`${name} ${i}`, to(i), balance) })
    const data = encodeFunctionData({ abi: relayAbi, functionName: 'calls', args: [list] })
    const { gasUsed, logs } = await submit(contracts.relay, data)
    // AuthorizationUsed and Transfer.
    if (logs.length !== 20) throw new Error('not every transfer of the batch was made')
    return Math.ceil(Number(gasUsed) / 10)
  }
  const one = party('receiver alone').address
  const fresh = (name: string) => (i: number) => party(`receiver ${name} ${i}`).address
  const holder = (i: number) => party(`holder ${i}`).address
  return [
    { action: 'sending on to a fresh address, alone', gas: Number(alone.gasUsed), ceiling: 105_000 },
    { action: 'sending a part on, 10 to one holder', gas: await inBatch('to one', () => one), ceiling: 54_000 },
    { action: 'sending a part on, 10 to 10 holders', gas: await inBatch('to holders', holder), ceiling: 58_000 },
    {
      action: 'sending everything on, 10 to 10 holders',
      gas: await inBatch('everything to holders', holder, 1_000_000n),
      ceiling: 54_000,
    },
    {
      action: 'sending everything on, 10 to fresh addresses',
      gas: await inBatch('everything', fresh('everything'), 1_000_000n),
      ceiling: 72_000,
    },
    { action: 'sending a part on, 10 to fresh addresses', gas: await inBatch('part', fresh('part')), ceiling: 76_000 },
  ]
}

const usdcSeparator = (chain: LocalChain): Promise<Hex> =>
  chain.client.readContract({ address: chain.contracts.usdc, abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' })

async function measurePayouts(chain: LocalChain, deadline: number): Promise<GasRow[]> {
  const { contracts, submit } = chain
  const domain = { chainId: chain.chainId, contract: contracts.escrow }
  const claimKey = party('claim key')
  const reclaimKey = party('reclaim key')

  const fund = async (expiry: number) => {
    const terms: Terms = {
      payer: party('holder 0').address,
      claimKey: claimKey.address,
      reclaimKey: reclaimKey.address,
      amount,
      expiry,
    }
    await chain.mint(payoutAddress(contracts, terms), amount)
    return terms
  }
  const claimData = (terms: Terms, to: Address) => {
    const claim = { payoutId: payoutId(terms), to, atLeast: amount, deadline }
    const { r, vs } = signCompact(claimDigest(domain, claim), claimKey.key)
    const args = [terms, to, amount, deadline, r, vs] as const
    return encodeFunctionData({ abi: payoutEscrowAbi, functionName: 'claim', args })
  }

  const fresh = (name: string) => party(`fresh ${name}`).address
  const alone = await submit(contracts.escrow, claimData(await fund(deadline + 1), fresh('alone')))

  const list = []
  for (let i = 0; i < 10; i++) {
    const data = claimData(await fund(deadline + 2 + i), fresh(`${i}`))
    list.push({ target: contracts.escrow, gasCap: 300_000n, data })
  }
  const batch = await submit(
    contracts.relay,
    encodeFunctionData({ abi: relayAbi, functionName: 'calls', args: [list] }),
  )
  if (batch.logs.length !== 10) throw new Error('not every claim of the batch was paid')

  const terms = await fund(deadline + 20)
  const reclaim = { payoutId: payoutId(terms), atLeast: amount, deadline }
  const { r, vs } = signCompact(reclaimDigest(domain, reclaim), reclaimKey.key)
  const args = [terms, amount, deadline, r, vs] as const
  const back = await submit(
    contracts.escrow,
    encodeFunctionData({ abi: payoutEscrowAbi, functionName: 'reclaim', args }),
  )

  return [
    { action: 'claim to a fresh address, alone', gas: Number(alone.gasUsed), ceiling: 121_000 },
    {
      action: 'claim to a fresh address, in a batch of 10',
      gas: Math.ceil(Number(batch.gasUsed) / 10),
      ceiling: 92_000,
    },
    { action: 'reclaim by key, alone', gas: Number(back.gasUsed), ceiling: 103_000 },
  ]
}
