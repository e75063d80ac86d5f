/** The operator key is known to a contract: between the steps of its rotation the Provider's admin makes two calls. */
import { randomBytes } from 'node:crypto'
import { encodeFunctionData } from 'viem'
import { providerAbi } from '../../worker/chain/abi.ts'
import { addressOf } from '../../worker/chain/sign.ts'
import type { Rotation } from './rotate.ts'

/** In the vault alone, until it takes the place of the key in use. */
const nextName = 'OPERATOR_KEY_NEXT'

const addressOfKey = (key: string) => addressOf(`0x${key.replace(/^0x/, '')}`)

function call(key: string, isAllowed: boolean): string {
  const args = [addressOfKey(key), isAllowed] as const
  const data = encodeFunctionData({ abi: providerAbi, functionName: 'setOperator', args })
  return `  setOperator(${args.join(', ')})\n    data ${data}`
}

/** Makes the new key and prints the call that admits it. Run again, it prints the same call. */
export function startOperatorKey({ vault, isDry, say }: Pick<Rotation, 'vault' | 'isDry' | 'say'>): void {
  const secrets = vault.read()
  if (isDry && !secrets[nextName]) {
    say('Would make a new operator key, and print the call that admits it.')
    return
  }
  const next = secrets[nextName] || randomBytes(32).toString('hex')
  if (!secrets[nextName]) say(`Backup: ${vault.write({ ...secrets, [nextName]: next })}`)
  say(`The admin calls, on the Provider of every contract set, before \`finish\`:\n${call(next, true)}`)
  say('If the old key has leaked, the admin first calls pauseRotations(): owners then sign every renewal.')
}

/** Replaces the key and prints the call that ends the old one. */
export async function finishOperatorKey(rotation: Pick<Rotation, 'vault' | 'isDry' | 'say'>): Promise<void> {
  const { vault, isDry, say } = rotation
  const secrets = vault.read()
  const next = secrets[nextName]
  if (!next) return say('There is no new operator key: `start` makes one.')
  const old = secrets.OPERATOR_KEY_V1
  if (isDry) return say('Would replace OPERATOR_KEY_V1, with a new backup, and print the call that ends the old key.')
  if (old !== next) say(`Backup: ${vault.write({ ...secrets, OPERATOR_KEY_V1: next, OPERATOR_KEY_FORMER: old ?? '' })}`)
  const replaced = vault.read()
  say(`Replaced: ${await vault.distribute(replaced, ['OPERATOR_KEY_V1'])}.`)
  const former = replaced.OPERATOR_KEY_FORMER
  if (former) say(`Ten minutes later the admin calls, on the Provider of every contract set:\n${call(former, false)}`)
  const { [nextName]: _, OPERATOR_KEY_FORMER: __, ...left } = replaced
  vault.write(left)
}
