import { isAddress, isHex } from 'viem/utils'
import type { RelayJob } from './api.ts'

/** Why a job cannot be encoded; null if it can. One malformed job in a batch would fail the whole batch. */
export function validateJob(job: RelayJob): 'malformed' | null {
  const isValid =
    isAddress(job.target, { strict: false }) &&
    isHex(job.data) &&
    job.data.length % 2 === 0 &&
    Number.isSafeInteger(job.deadline) &&
    (!job.packed || isValidSend(job.packed))
  return isValid ? null : 'malformed'
}

/** Every field has to fit the bytes that batchEncoding.ts gives it. */
function isValidSend({ wallet, to, amount, nonce, deadline, r, vs }: NonNullable<RelayJob['packed']>): boolean {
  return (
    isAddress(wallet, { strict: false }) &&
    isAddress(to, { strict: false }) &&
    isUint64(amount) &&
    isUint64(nonce) &&
    Number.isSafeInteger(deadline) &&
    deadline >= 0 &&
    deadline < 2 ** 48 &&
    isWord(r) &&
    isWord(vs)
  )
}

const isWord = (value: unknown) => isHex(value) && value.length === 66
const isUint64 = (text: string) => /^[0-9]{1,20}$/.test(text) && BigInt(text) < 2n ** 64n
