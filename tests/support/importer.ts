/** A user with an imported wallet, created directly through the Treasury. */
import { unwrap } from '../../worker/result.ts'
import { type PayFields, payInput, usdc } from './build.ts'
import { chain, fresh, readerOf } from './payer.ts'
import { treasuryOf } from './treasuries.ts'
import { type Party, party, type WorkerChain } from './workerChain.ts'

let people = 0
export const masterPassword = 'a master password'

export type Importer = Awaited<ReturnType<typeof createImporter>>

export async function createImporter(over: { funds?: string; on?: WorkerChain; holder?: Party; userId?: string } = {}) {
  const on = over.on ?? chain
  people += 1
  const userId = over.userId ?? `usr_import_${people}_${Math.random().toString(36).slice(2)}`
  const holder = over.holder ?? party(`${userId} holder`)
  const treasury = () => treasuryOf(userId)
  const funds = usdc(over.funds ?? '100')
  if (funds > 0n) await on.mint(holder.address, funds)
  const input = { address: holder.address, chainId: on.chainId, policyGroupId: null, privateKey: holder.key }
  const wallet = unwrap(
    await treasury()
      .wallets()
      .importWallet({ key: null, name: 'Cold', masterPassword, ...input }),
  )
  const payment = (more: PayFields = {}) =>
    payInput({
      wallet: wallet.id,
      to: { type: 'address', address: fresh('recipient') },
      ...more,
    })
  return { userId, holder, wallet, payment, ...readerOf(userId, wallet.id) }
}
