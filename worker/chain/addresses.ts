import { getCreate2Address } from 'viem/utils'
import { keccak, packWords, payoutId, type Terms } from './digests.ts'
import type { Address, Contracts, Hex } from './types.ts'

/** The parameters of a wallet. Its address commits to all of them. */
export type WalletParameters = {
  owner: Address
  salt: Hex
  sessionKey: Address
  /** micro-USDC */
  limit: bigint
  /** Whole USDC: the part of the limit that purchases may use. */
  purchaseAllowance: number
  /** unix seconds, inclusive */
  validUntil: number
}

/** The code of a wallet: an OpenZeppelin clone with the immutable arguments owner ‖ provider. */
export function walletCode(contracts: Pick<Contracts, 'walletImplementation' | 'provider'>, owner: Address): Hex {
  const implementation = contracts.walletImplementation.slice(2)
  return `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3${owner.slice(2)}${contracts.provider.slice(2)}`
}

/** The address that AgentWalletFactory.createWallet gives this wallet. */
export function walletAddress(
  contracts: Pick<Contracts, 'factory' | 'walletImplementation' | 'provider'>,
  wallet: WalletParameters,
): Address {
  const { owner, salt, sessionKey, limit, purchaseAllowance, validUntil } = wallet
  const fullSalt = keccak(packWords(owner, salt, sessionKey, limit, purchaseAllowance, validUntil))
  // Returns the code, whose length is 0x55: 45 bytes of proxy + 40 bytes of arguments.
  const bytecode: Hex = `0x6100553d81600a3d39f3${walletCode(contracts, owner).slice(2)}`
  return getCreate2Address({ from: contracts.factory, salt: fullSalt, bytecode })
}

/** The address to fund: an OpenZeppelin minimal clone (ERC-1167) with the payout's id as salt. */
export function payoutAddress(contracts: Pick<Contracts, 'escrow' | 'vaultImplementation'>, terms: Terms): Address {
  const implementation = contracts.vaultImplementation.slice(2)
  const bytecode: Hex = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`
  return getCreate2Address({ from: contracts.escrow, salt: payoutId(terms), bytecode })
}
