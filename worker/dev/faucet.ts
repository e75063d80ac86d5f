import type { z } from 'zod'
import { RpcClient } from '../chain/rpcClient.ts'
import type { Contracts } from '../chain/types.ts'
import type { Env } from '../env.ts'
import { AppError } from '../errors.ts'
import type { Faucet, FaucetReply } from '../schemas/dev.ts'

const adminSelector = '0xf851a440' // admin()
const mintSelector = '0x40c10f19' // mint(address,uint256)
const mintGas = '0x30d40' // 200,000: a fixed limit spares an estimate

/** Mints stand-in USDC. The minter is the token's admin, whom anvil lets us act as; a real chain would refuse. */
export async function mintStandIn(env: Env, input: z.output<typeof Faucet>): Promise<FaucetReply> {
  const { rpc, usdc } = localChain(env, input.chain === 'base' ? 8453 : 84532)
  try {
    const admin = `0x${String(await rpc.request('eth_call', [{ to: usdc, data: adminSelector }, 'latest'])).slice(-40)}`
    await rpc.request('anvil_impersonateAccount', [admin])
    const wei = BigInt(String(await rpc.request('eth_getBalance', [admin, 'latest'])))
    if (wei < 10n ** 17n) await rpc.request('anvil_setBalance', [admin, '0xde0b6b3a7640000']) // 1 ETH, for the gas
    const data = `${mintSelector}${word(input.address)}${word(input.amount.toString(16))}`
    const txHash = await rpc.request('eth_sendTransaction', [{ from: admin, to: usdc, data, gas: mintGas }])
    return { txHash: String(txHash) }
  } catch (cause) {
    throw new AppError('upstream_unavailable', 'The local chain did not take the faucet transaction.', { cause })
  }
}

type LocalChain = { url: string; rpc: RpcClient; usdc: string | undefined }

export function localChain(env: Env, chainId: 8453 | 84532): LocalChain {
  const urls = chainId === 8453 ? env.RPC_URLS_8453 : env.RPC_URLS_84532
  const contracts = JSON.parse(chainId === 8453 ? env.CONTRACTS_8453 : env.CONTRACTS_84532) as Partial<Contracts>
  const url = urls.split(',')[0]!.trim()
  return { url, rpc: new RpcClient(url), usdc: contracts.usdc }
}

const word = (hex: string) => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')
