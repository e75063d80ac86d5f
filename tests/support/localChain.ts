/** A local chain with our contracts, keys and money, shared by the chain tests and the gas bench. */
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  type TransactionReceipt,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deployContracts } from '../../contracts/deployment.ts'
import { waitForReceipt } from '../../contracts/receipt.ts'
import { startAnvil } from '../../local/stack/anvil.ts'
import { agentWalletFactoryAbi, usdcAbi } from '../../worker/chain/abi.ts'
import { type WalletParameters, walletAddress } from '../../worker/chain/addresses.ts'
import { sendDigest } from '../../worker/chain/digests.ts'
import { addressOf, signCompact } from '../../worker/chain/sign.ts'
import type { Contracts } from '../../worker/chain/types.ts'

export type Party = { key: Hex; address: Address }

/** Derives a key from a name; the same name always gives the same key. */
export function party(name: string): Party {
  const key = keccak256(toHex(name))
  return { key, address: addressOf(key) }
}

export const roles = {
  relayer: party('relayer'),
  providerAdmin: party('provider admin'),
  operator: party('operator'),
  usdcAdmin: party('usdc admin'),
}

/** How tests deploy the contracts. */
export const deployment = {
  providerAdmin: roles.providerAdmin.address,
  operator: roles.operator.address,
  usdcAdmin: roles.usdcAdmin.address,
  deployerKey: roles.relayer.key,
} as const

/** Sends a transaction and waits until it is mined. Throws if it reverted, unless `mayRevert`. */
export type Submit = (
  to: Address,
  data: Hex,
  options?: { from?: Party; mayRevert?: boolean },
) => Promise<TransactionReceipt>

export type LocalChain = {
  chainId: number
  url: string
  contracts: Contracts
  client: ReturnType<typeof createPublicClient>
  submit: Submit
  mint(to: Address, amount: bigint): Promise<void>
  /** Timestamp of the newest block, in Unix seconds. */
  now(): Promise<number>
  stop(): Promise<void>
}

export async function startLocalChain(): Promise<LocalChain> {
  const chainId = 8453
  const anvil = await startAnvil({ chainId })
  const client = createPublicClient({ transport: http(anvil.url), pollingInterval: 10 })
  for (const { address } of Object.values(roles)) {
    await client.request({ method: 'anvil_setBalance', params: [address, toHex(10n ** 20n)] } as never)
  }
  const contracts = await deployContracts(anvil.url, deployment)

  const submit: Submit = async (to, data, { from = roles.relayer, mayRevert = false } = {}) => {
    const account = privateKeyToAccount(from.key)
    const wallet = createWalletClient({ account, transport: http(anvil.url) })
    const hash = await wallet.sendTransaction({ chain: null, to, data, gas: 16_000_000n })
    const receipt = await waitForReceipt(client, hash)
    if (receipt.status !== 'success' && !mayRevert) throw new Error(`reverted: ${hash}`)
    return receipt
  }

  return {
    chainId,
    url: anvil.url,
    contracts,
    client,
    submit,
    async mint(to, amount) {
      const data = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [to, amount] })
      await submit(contracts.usdc, data, { from: roles.usdcAdmin })
    },
    now: async () => Number((await client.getBlock()).timestamp),
    stop: anvil.stop,
  }
}

export type TestWallet = { address: Address; parameters: WalletParameters; session: Party; owner: Party }

/** Returns a wallet's parameters and address without deploying it. Wallets of one name and several salts have one owner. */
export async function createWallet(
  chain: LocalChain,
  name: string,
  { salt = keccak256(toHex(name)), purchaseAllowance = 0 }: { salt?: Hex; purchaseAllowance?: number } = {},
): Promise<TestWallet> {
  const session = party(`${name} session`)
  const owner = party(`${name} owner`)
  const parameters = {
    owner: owner.address,
    salt,
    sessionKey: session.address,
    limit: 5_000_000_000n,
    purchaseAllowance,
    validUntil: (await chain.now()) + 30 * 86_400,
  }
  return { address: walletAddress(chain.contracts, parameters), parameters, session, owner }
}

export function createWalletData(wallet: WalletParameters): Hex {
  const { owner, salt, sessionKey, limit, purchaseAllowance, validUntil } = wallet
  const args = [owner, salt, sessionKey, limit, purchaseAllowance, validUntil] as const
  return encodeFunctionData({ abi: agentWalletFactoryAbi, functionName: 'createWallet', args })
}

export type SignedSend = { to: Address; amount: bigint; nonce: bigint; deadline: number; r: Hex; vs: Hex }

/** A send signed with the wallet's session key; sequence 0 is the first nonce of the epoch. */
export function signSend(
  chain: Pick<LocalChain, 'chainId'>,
  wallet: Pick<TestWallet, 'address' | 'session'>,
  send: { to: Address; amount: bigint; sequence: number; deadline: number; epoch?: number },
): SignedSend {
  const { to, amount, deadline, sequence, epoch = 1 } = send
  const nonce = (BigInt(epoch) << 32n) | BigInt(sequence)
  const digest = sendDigest({ chainId: chain.chainId, contract: wallet.address }, { to, amount, nonce, deadline })
  return { to, amount, nonce, deadline, ...signCompact(digest, wallet.session.key) }
}
