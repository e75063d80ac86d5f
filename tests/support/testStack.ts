/** The whole product on free ports with its own state, and funded wallets and payouts on it, for tests over HTTP. */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { CreateEscrowReply } from '#schemas/escrow.ts'
import type { DeployReply, Wallet } from '#schemas/wallet.ts'
import { BursarClient, until } from '../../local/client.ts'
import { demo } from '../../local/stack/seed.ts'
import { type Stack, type StackOptions, startStack } from '../../local/stack/stack.ts'
import type { Hex } from '../../worker/chain/types.ts'
import { noLimits } from './limits.ts'
import { stateTemplate } from './stateTemplate.ts'

export type TestStack = Stack & { bursar: BursarClient; [Symbol.asyncDispose](): Promise<void> }

/** Starts a stack; `stop` also removes its folder. Service limits are out of reach unless `vars` sets LIMITS. */
export async function createTestStack({ vars = {}, ...options }: Partial<StackOptions> = {}): Promise<TestStack> {
  const stateDir = await mkdtemp(join(tmpdir(), 'bursar-stack-'))
  await cp(await stateTemplate(), stateDir, { recursive: true })
  const stack = await startStack({
    stateDir,
    blockTime: 1,
    quiet: true,
    bundled: !options.entry,
    vars: async (started) => ({
      LIMITS: JSON.stringify(noLimits),
      ...(typeof vars === 'function' ? await vars(started) : vars),
    }),
    ...options,
  })
  const bursar = new BursarClient(stack.url, stack.rpc[8453])
  const stop = async () => {
    await stack.stop()
    await rm(stateDir, { recursive: true, force: true })
  }
  return { ...stack, bursar, stop, [Symbol.asyncDispose]: stop }
}

/** Signs in the seeded user. Returns the access token. */
export const signIn = async (bursar: BursarClient): Promise<string> =>
  (await bursar.signIn(demo.email, demo.password)).accessToken

/**
 * Creates an active wallet with `funds` USDC. Its owner is a random address unless one is given. `purchaseAllowance` is in whole
 * USDC.
 */
export async function createFundedWallet(
  bursar: BursarClient,
  token: string,
  { owner = privateKeyToAddress(generatePrivateKey()) as string, name = '', funds = '200', purchaseAllowance = 0 } = {},
): Promise<Wallet> {
  const body = { ownerAddress: owner, chainId: 8453, purchaseAllowance, ...(name && { name }) }
  const { id } = await bursar.api<DeployReply>('/wallets/smart-wallets-v2/deploy', { token, key: randomUUID(), body })
  return fund(bursar, token, id, funds)
}

/** Imports the wallet of this key with `funds` USDC. */
export async function importFundedWallet(
  bursar: BursarClient,
  token: string,
  { privateKey, funds }: { privateKey: Hex; funds: string },
): Promise<Wallet> {
  const address = privateKeyToAddress(privateKey)
  const body = { address, chain: 'base', privateKey, masterPassword: 'a master password' }
  const { id } = await bursar.api<Wallet>('/wallets/with-private-key', { token, key: randomUUID(), body })
  return fund(bursar, token, id, funds)
}

async function fund(bursar: BursarClient, token: string, id: string, funds: string): Promise<Wallet> {
  const find = async () => (await bursar.api<Wallet[]>('/wallets', { token })).find((wallet) => wallet.id === id)
  const { address } = await until('an active wallet', async () => {
    const wallet = await find()
    return wallet?.status === 'active' && wallet
  })
  await bursar.plain('/dev/faucet', { body: { address, amount: funds } })
  return until('the money', async () => {
    const wallet = await find()
    return wallet?.usdcBalance?.balance === funds && wallet
  })
}

/** Creates a funded payout of 5 USDC. Returns the path of its claim page, the claim token and the code. */
export async function createPayout(bursar: BursarClient, token: string, walletId: string) {
  const body = { sourceWalletId: walletId, amount: '5', recipientEmail: 'ada@bursar.test', expiresInDays: 7 }
  const { claimUrl, passcode } = await bursar.api<CreateEscrowReply>('/escrow/create', {
    token,
    key: randomUUID(),
    body,
  })
  const path = new URL(claimUrl).pathname
  const accessToken = path.split('/').at(-1)!
  await until('a claimable payout', async () => {
    const page = await bursar.api<{ status: string }>(`/escrow/claim/${accessToken}`)
    return page.status === 'CREATED'
  })
  return { path, accessToken, passcode: passcode! }
}
