import { sameAddress } from '#domain/sameAddress.ts'
import { addressProblem } from '#domain/validators.ts'

/** Why an owner can't withdraw from `wallet` to the address `to`; null if they can. */
export function withdrawalProblem(to: string, wallet: string): string | null {
  const problem = addressProblem(to)
  if (problem) return problem
  if (sameAddress(to, wallet)) return 'This is the wallet itself. Choose another address.'
  return /^0x0{40}$/.test(to) ? 'The zero address cannot receive payments.' : null
}
