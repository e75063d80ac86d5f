/** Somebody with 200 USDC in a wallet, apart from the demo user that other tests look at. */
import { randomUUID } from 'node:crypto'
import type { Contact } from '../../worker/schemas/contact.ts'
import type { Wallet } from '../../worker/schemas/wallet.ts'
import { aFundedWallet } from '../stack/aStack.ts'
import { anAccount, test as base } from './fixtures.ts'

export type Payer = {
  wallet: Wallet
  api<T>(path: string, body?: unknown, method?: 'GET' | 'POST' | 'PUT' | 'DELETE'): Promise<T>
  contact(input: object): Promise<Contact>
}

/** `payer` is signed in, in the test's own browser. */
export const test = base.extend<
  { signedIn: undefined },
  { own: Payer & { account: Awaited<ReturnType<typeof anAccount>> } }
>({
  own: [
    async ({ bursar }, use) => {
      const account = await anAccount(bursar)
      const token = account.session.accessToken
      const wallet = await aFundedWallet(bursar, token)
      const api: Payer['api'] = (path, body, method = body ? 'POST' : 'GET') =>
        bursar.api(path, { token, method, ...(body ? { body, key: randomUUID() } : {}) })
      await use({ account, wallet, api, contact: (input) => api<Contact>('/contacts', input) })
    },
    { scope: 'worker' },
  ],
  signedIn: [
    async ({ context, own }, use) => {
      await own.account.keep(context)
      await use(undefined)
    },
    { auto: true },
  ],
})
export { expect } from './fixtures.ts'
