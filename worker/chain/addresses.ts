import { hexToBytes } from '@noble/hashes/utils'
import { checksumAddress } from '../domain/validators.ts'
import { keccak, packWords, payoutId, type Terms } from './digests.ts'
import type { Address, Contracts, Hex } from './types.ts'

/** Parameters of a wallet; its address commits to every one of them. */
export type WalletParameters = {
  owner: Address
  salt: Hex
  sessionKey: Address
  /** micro-USDC */
  limit: bigint
  /** unix seconds, inclusive */
  validUntil: number
}

/** EIP-1014. `initCode` without 0x. */
function create2(deployer: Address, salt: Hex, initCode: string): Address {
  const bytes = hexToBytes(`ff${deployer.slice(2)}${salt.slice(2)}${keccak(hexToBytes(initCode)).slice(2)}`)
  return checksumAddress(`0x${keccak(bytes).slice(26)}`)
}

/** Where AgentWalletFactory.createWallet puts this wallet: an OpenZeppelin clone with arguments owner ‖ provider. */
export function walletAddress(
  contracts: Pick<Contracts, 'factory' | 'walletImplementation' | 'provider'>,
  wallet: WalletParameters,
): Address {
  const { owner, salt, sessionKey, limit, validUntil } = wallet
  const fullSalt = keccak(packWords(owner, salt, sessionKey, limit, validUntil))
  const implementation = contracts.walletImplementation.slice(2)
  const args = owner.slice(2) + contracts.provider.slice(2)
  // 0x55 = 45 bytes of proxy + 40 bytes of arguments.
  const initCode = `6100553d81600a3d39f3363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3${args}`
  return create2(contracts.factory, fullSalt, initCode)
}

/** The address to fund: an OpenZeppelin minimal clone (ERC-1167) whose salt is the payout's id. */
export function payoutAddress(contracts: Pick<Contracts, 'escrow' | 'vaultImplementation'>, terms: Terms): Address {
  const implementation = contracts.vaultImplementation.slice(2)
  const initCode = `3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`
  return create2(contracts.escrow, payoutId(terms), initCode)
}
