import type { OwnerTypedData } from './ownerTypedData.ts'

/** Signs with what the owner typed. The words stay in this function; nothing keeps them. Throws OwnerKeyProblem. */
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
  if (address.toLowerCase() !== owner.toLowerCase())
    throw new OwnerKeyProblem(`This is the key of ${address}. This wallet’s owner is ${owner}.`)
  const account = privateKeyToAccount(privateKey)
  return account.signTypedData(data as Parameters<typeof account.signTypedData>[0])
}

/** What is wrong with the typed key, in a sentence for people. */
export class OwnerKeyProblem extends Error {
  override name = 'OwnerKeyProblem'
}
