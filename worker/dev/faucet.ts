import type { z } from 'zod'
import { type ChainId, chainIdOf } from '#domain/networks.ts'
import type { Faucet, FaucetReply } from '#schemas/dev.ts'
import { contractSetsOf, rpcUrls } from '../chain/networkSettings.ts'
import { RpcClient } from '../chain/rpcClient.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'

const masterMinterSelector = '0x35d99f35' // masterMinter()
const mintSelector = '0x40c10f19' // mint(address,uint256)
const mintGas = '0x30d40' // 200,000: a fixed limit avoids an estimate

export async function mintStandIn(env: Env, input: z.output<typeof Faucet>): Promise<FaucetReply> {
  const { rpc, usdc } = localChain(env, chainIdOf(input.chain))
  try {
    return { txHash: await mintOnAnvil(rpc, String(usdc), input.address, input.amount) }
  } catch (cause) {
    throw new AppError('upstream_unavailable', 'The local chain rejected the faucet transaction.', { cause })
  }
}

/**
 * Mints stand-in USDC as the token's master minter, which is also a minter, and returns the transaction hash. anvil allows
 * impersonating it; a real chain would refuse.
 */
export async function mintOnAnvil(rpc: RpcClient, usdc: string, to: string, amount: bigint): Promise<string> {
  const call = { to: usdc, data: masterMinterSelector }
  const minter = `0x${String(await rpc.request('eth_call', [call, 'latest'])).slice(-40)}`
  await rpc.request('anvil_impersonateAccount', [minter])
  const wei = BigInt(String(await rpc.request('eth_getBalance', [minter, 'latest'])))
  if (wei < 10n ** 17n) await rpc.request('anvil_setBalance', [minter, '0xde0b6b3a7640000']) // 1 ETH, for the gas
  const data = `${mintSelector}${word(to)}${word(amount.toString(16))}`
  return String(await rpc.request('eth_sendTransaction', [{ from: minter, to: usdc, data, gas: mintGas }]))
}

type LocalChain = { url: string; rpc: RpcClient; usdc: string | undefined }

export function localChain(env: Env, chainId: ChainId): LocalChain {
  const [url = ''] = rpcUrls(env, chainId)
  const { newest, sets } = contractSetsOf(env, chainId)
  return { url, rpc: new RpcClient(url), usdc: sets[newest]?.usdc }
}

const word = (hex: string) => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')
