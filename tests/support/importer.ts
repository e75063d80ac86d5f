/** A user with an imported wallet, created directly through the Treasury. */
import { expect } from 'vitest'
import { type PayFields, payInput, usdc } from './build.ts'
import { chain, fresh, until } from './payer.ts'
import { env, type Party, party, type WorkerChain } from './workerChain.ts'

let people = 0
export const masterPassword = 'a master password'

export type Importer = Awaited<ReturnType<typeof createImporter>>

export async function createImporter(over: { funds?: string; on?: WorkerChain; holder?: Party; userId?: string } = {}) {
  const on = over.on ?? chain
  people += 1
  const userId = over.userId ?? `usr_import_${people}_${Math.random().toString(36).slice(2)}`
  const holder = over.holder ?? party(`${userId} holder`)
  const treasury = () => env.TREASURY.getByName(userId)
  const funds = usdc(over.funds ?? '100')
  if (funds > 0n) await on.mint(holder.address, funds)
  const added = await treasury().importWallet({
    key: null,
    name: 'Cold',
    address: holder.address,
    chainId: on.chainId,
    policyGroupId: null,
    privateKey: holder.key,
    masterPassword,
  })
  if (!added.ok) throw new Error(added.message)
  const wallet = added.value
  const payment = (more: PayFields = {}) =>
    payInput({
      wallet: wallet.id,
      to: { type: 'address', address: fresh('recipient') },
      ...more,
    })
  const status = async (id: string) => {
    const found = await treasury().transaction(id)
    return found.ok ? found.value.status : found.message
  }
  const final = (id: string) =>
    until(`payment ${id} final`, async () => {
      const found = await treasury().transaction(id)
      return found.ok && ['CONFIRMED', 'FAILED', 'PENDING', 'CANCELLED'].includes(found.value.status) && found.value
    })
  /** Checks I1, and that the ledger at rest equals the chain to one micro-USDC. */
  const booksBalance = async () => {
    const result = await treasury().ledger(wallet.id)
    if (!result.ok) throw new Error(result.message)
    const books = result.value
    const sum = (...texts: string[]) => texts.reduce((total, text) => total + usdc(text), 0n)
    expect(sum(books.deposits, books.returns), 'I1').toBe(sum(books.available, books.held, books.out, books.withdrawn))
    expect(usdc(books.chainBalance!), 'ledger = chain').toBe(sum(books.available, books.held))
    return books
  }
  return { userId, holder, treasury, wallet, payment, status, final, booksBalance }
}
