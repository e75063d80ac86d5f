import type { ChainId } from '#domain/networks.ts'
import type { Read } from '#domain/readers/read.ts'
import { sameAddress } from '#domain/sameAddress.ts'
import { unspendableProblem } from '#domain/unspendable.ts'
import { readAddress } from '#domain/validators.ts'

/** Where an owner withdraws to from `wallet`, as typed: the address, or why it cannot be. */
export function withdrawalAddress(to: string, wallet: string, chainId?: ChainId): Read<`0x${string}`> {
  const read = readAddress(to, chainId)
  if ('problem' in read) return read
  if (sameAddress(read.value, wallet)) return { problem: 'This is the wallet itself. Choose another address.' }
  const problem = unspendableProblem(read.value)
  return problem === null ? read : { problem }
}
