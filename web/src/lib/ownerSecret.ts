import { english, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'

type Hex = `0x${string}`
export type OwnerSecret = { address: Hex; privateKey: Hex }

/** Parses a recovery phrase (its first account, as in wallets) or private key. Throws Error with a message for people. */
export function ownerSecretOf(text: string): OwnerSecret {
  const secret = text.trim().toLowerCase().replace(/\s+/g, ' ')
  if (secret === '') throw new Error('Please enter your recovery phrase or private key')
  const hex = /^(?:0x)?([0-9a-f]{64})$/.exec(secret)
  const words = secret.split(' ')
  const unknown = hex ? undefined : words.find((word) => !english.includes(word))
  if (!hex && words.length !== 12 && words.length !== 24)
    throw new Error('This is neither a recovery phrase of 12 words nor a private key.')
  if (unknown !== undefined) throw new Error(`“${unknown}” is not a word of a recovery phrase. Check its spelling.`)
  try {
    if (hex) {
      const privateKey: Hex = `0x${hex[1]}`
      return { address: privateKeyToAccount(privateKey).address, privateKey }
    }
    const account = mnemonicToAccount(secret)
    return { address: account.address, privateKey: bytesToHex(account.getHdKey().privateKey!) }
  } catch {
    throw new Error('This key can’t be read. Check it character by character.')
  }
}
