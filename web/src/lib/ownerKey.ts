import { sameAddress } from '#domain/sameAddress.ts'
import type { OwnerTypedData } from './ownerTypedData.ts'

/**
 * Signs with the recovery phrase or private key that the owner typed, and keeps neither. Throws OwnerKeyProblem if it is
 * invalid or not the owner's.
 */
export async function signWithTyped(text: string, owner: string, data: OwnerTypedData): Promise<`0x${string}`> {
  const [{ ownerSecretOf }, { privateKeyToAccount }] = await Promise.all([
    import('./ownerSecret.ts'),
    import('viem/accounts'),
  ])
  const { address, privateKey } = (() => {
    try {
      return ownerSecretOf(text)
    } catch (error) {
      throw new OwnerKeyProblem((error as Error).message)
    }
  })()
  if (!sameAddress(address, owner))
    throw new OwnerKeyProblem(`This is the key of ${address}. This wallet’s owner is ${owner}.`)
  const account = privateKeyToAccount(privateKey)
  return account.signTypedData(data as Parameters<typeof account.signTypedData>[0])
}

/** The typed key can't be used; `message` is a sentence for people. */
export class OwnerKeyProblem extends Error {
  override name = 'OwnerKeyProblem'
}
