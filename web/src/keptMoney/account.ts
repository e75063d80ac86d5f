import { bytesToHex } from '@noble/hashes/utils'
import { HDKey } from '@scure/bip32'
import { entropyToMnemonic, mnemonicToSeed } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { type Authorization, authorizationDigest, usdcNames } from '#chain/authorizationDigest.ts'
import { domainSeparator } from '#chain/digests.ts'
import { addressOf, nobleSign } from '#chain/sign.ts'
import type { Address, Hex } from '#chain/types.ts'
import type { Chain } from '../lib/networks.ts'

/** What the passkey is asked to evaluate. Changing it, or anything below, loses all money that recipients keep. */
export const prfInput = new TextEncoder().encode('bursar wallet v1')

/** The first account of the words in wallet apps. */
const path = "m/44'/60'/0'/0/0"

/**
 * The 12 words of a kept account, from the 32 bytes that its passkey returned for `prfInput`: HKDF-SHA256 without a salt
 * yields 128 bits, and those the words. Throws RangeError for other lengths.
 */
export async function wordsOf(prfValue: Uint8Array<ArrayBuffer>): Promise<string> {
  if (prfValue.length !== 32) throw new RangeError('a passkey returns 32 bytes')
  const key = await crypto.subtle.importKey('raw', prfValue, 'HKDF', false, ['deriveBits'])
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: prfInput }
  const entropy = new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 128))
  try {
    return entropyToMnemonic(entropy, wordlist)
  } finally {
    entropy.fill(0)
  }
}

/** Runs `use` with the account's private key, which exists no longer than that. */
async function withKey<T>(prfValue: Uint8Array<ArrayBuffer>, use: (privateKey: Hex) => T): Promise<T> {
  const seed = await mnemonicToSeed(await wordsOf(prfValue))
  const root = HDKey.fromMasterSeed(seed)
  const node = root.derive(path)
  try {
    return use(`0x${bytesToHex(node.privateKey!)}`)
  } finally {
    seed.fill(0)
    root.wipePrivateData()
    node.wipePrivateData()
  }
}

/** The account's address, with checksum. */
export const addressOfValue = (prfValue: Uint8Array<ArrayBuffer>): Promise<Address> => withKey(prfValue, addressOf)

/** A transfer that the account signs: its `from` is the account. */
export type Transfer = Omit<Authorization, 'from'> & { chain: Chain; chainId: number; usdc: Address }

/**
 * The account's signature (r ‖ s ‖ v, 65 bytes) under USDC's `TransferWithAuthorization`, which moves the amount to `to` and
 * nothing else. The domain is built here: what a server names decides at most which token refuses the signature.
 */
export const signTransfer = (prfValue: Uint8Array<ArrayBuffer>, transfer: Transfer): Promise<Hex> =>
  withKey(prfValue, (privateKey): Hex => {
    const { chain, chainId, usdc, ...fields } = transfer
    const separator = domainSeparator(usdcNames[chain === 'base' ? 0 : 1], chainId, usdc, '2')
    const { r, vs } = nobleSign(authorizationDigest(separator, { from: addressOf(privateKey), ...fields }), privateKey)
    const word = BigInt(vs)
    const s = (word & ((1n << 255n) - 1n)).toString(16).padStart(64, '0')
    return `${r}${s}${word >> 255n ? '1c' : '1b'}`
  })
