/** Rotates the operator key. The Provider contract knows the key, so its admin makes a call after each of the two steps. */
import { randomBytes } from 'node:crypto'
import { encodeFunctionData } from 'viem'
import { providerAbi } from '../../worker/chain/abi.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Rotation } from './rotate.ts'

/** Only in the vault, until it replaces the key in use. */
const nextName = 'OPERATOR_KEY_NEXT'

const addressOfKey = (key: string) => addressOf(`0x${key.replace(/^0x/, '')}`)

function call(key: string, isAllowed: boolean): string {
  const args = [addressOfKey(key), isAllowed] as const
  const data = encodeFunctionData({ abi: providerAbi, functionName: 'setOperator', args })
  return `  setOperator(${args.join(', ')})\n    data ${data}`
}

/** Creates the new key and prints the call that adds it. Prints the same call if run again. */
export function startOperatorKey({ vault, isDry, say }: Pick<Rotation, 'vault' | 'isDry' | 'say'>): void {
  const secrets = vault.read()
  if (isDry && !secrets[nextName]) {
    say('Would create a new operator key, and print the call that adds it.')
    return
  }
  const next = secrets[nextName] || randomBytes(32).toString('hex')
  if (!secrets[nextName]) say(`Backup: ${vault.write({ ...secrets, [nextName]: next })}`)
  say(`Before \`finish\`, the admin calls on the Provider of every contract set:\n${call(next, true)}`)
  say('If the old key has leaked, the admin first calls pauseRotations(): owners then sign every renewal.')
}

/** Replaces the key and prints the call that removes the old one. */
export async function finishOperatorKey(rotation: Pick<Rotation, 'vault' | 'isDry' | 'say'>): Promise<void> {
  const { vault, isDry, say } = rotation
  const secrets = vault.read()
  const next = secrets[nextName]
  if (!next) return say('There is no new operator key: `start` creates one.')
  const old = secrets.OPERATOR_KEY_V1
  if (isDry)
    return say('Would replace OPERATOR_KEY_V1, with a new backup, and print the call that removes the old key.')
  if (old !== next) say(`Backup: ${vault.write({ ...secrets, OPERATOR_KEY_V1: next, OPERATOR_KEY_FORMER: old ?? '' })}`)
  const replaced = vault.read()
  say(`Replaced: ${await vault.distribute(replaced, ['OPERATOR_KEY_V1'])}.`)
  const former = replaced.OPERATOR_KEY_FORMER
  if (former) say(`Ten minutes later, the admin calls on the Provider of every contract set:\n${call(former, false)}`)
  const { [nextName]: _, OPERATOR_KEY_FORMER: __, ...left } = replaced
  vault.write(left)
}
