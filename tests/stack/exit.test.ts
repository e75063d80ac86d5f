/**
 * Bursar is gone. With only the owner's key and any RPC URL, the owner finds the wallet, reclaims open payouts and
 * withdraws everything. All else needed is in the code: the factory's event and the contracts' interfaces.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright'
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  getAbiItem,
  type Hex,
  http,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem'
import { english, generateMnemonic, mnemonicToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import type { CreateEscrowReply, Escrow } from '#schemas/escrow.ts'
import type { WalletLedger } from '#schemas/wallet.ts'
import { waitForReceipt } from '../../contracts/receipt.ts'
import { withFactories, withPasskeys } from '../../launch/pagesConfig.ts'
import { until } from '../../local/client.ts'
import { findBrowser } from '../../local/tools/browser.ts'
import { recoveryPage } from '../../scripts/recovery.ts'
import { agentWalletAbi, agentWalletFactoryAbi, payoutEscrowAbi } from '../../worker/chain/abi.ts'
import type { Address } from '../../worker/chain/types.ts'
import { usdc } from '../support/build.ts'
import { within } from '../support/patience.ts'
import { addressFor, createSender, type Sender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'

const stack = await createTestStack()
afterAll(() => stack.stop())

test('the owner withdraws everything while the server is down @exit-1', async () => {
  const sender = await createSender(stack, { funds: '100', limit: 50 })
  await payAndConfirm(sender, '10')
  const claimed = await createPayout(sender, '5')
  const stranger = addressFor('stranger')
  await claim(claimed, stranger)
  const [open, another] = [await createPayout(sender, '7.5'), await createPayout(sender, '0.25')]
  await stack.killWorker()

  const { balances, reclaimed } = await leave(sender.owner, stack.rpc[8453], addressFor('new home'))
  expect(reclaimed).toEqual([usdc('7.5'), usdc('0.25')])
  expect(balances).toEqual({ home: usdc('85'), wallet: 0n, homeEther: parseEther('0.5'), walletEther: 0n })

  // After a restart, the server reads what happened from the chain.
  await stack.restartWorker()
  const token = await sender.token()
  const books = await until('the books to follow', async () => {
    const now = await stack.bursar.api<WalletLedger>(`/wallets/${sender.wallet.id}/ledger`, { token })
    return now.withdrawn === '85' && now.escrowed === '0' && now
  })
  expect(books).toMatchObject({
    deposits: '100',
    returns: '7.75',
    out: '22.75',
    available: '0',
    held: '0',
    spent: '15',
  })
  const ends = [claimed, open, another].map(({ id }) => stack.bursar.api<Escrow>(`/escrow/${id}`, { token }))
  expect((await Promise.all(ends)).map(({ status }) => status)).toEqual(['WITHDRAWN', 'RECLAIMED', 'RECLAIMED'])
})

test('the recovery page on disk moves the money of a recipient who kept it, with the 12 words @exit-3', async () => {
  const sender = await createSender(stack, { funds: '20', limit: 20 })
  const words = generateMnemonic(english, 128)
  const { address } = mnemonicToAccount(words)
  await claim(await createPayout(sender, '7.5'), address)
  await stack.killWorker()
  const rpcUrl = stack.rpc[8453]
  const chain = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 })
  const home = addressFor('home of a recipient')
  // As on Base. A new chain begins at a hundred times as much, which falls with each block.
  await chain.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: [toHex(10_000_000)] } as never)
  await chain.request({ method: 'evm_mine', params: [] } as never)
  await onRecoveryPage(
    rpcUrl,
    async ({ page, press, says }) => {
      await page.getByText('open the recovery page at bursar.example.').waitFor()
      expect(await page.getByRole('button', { name: 'Open with a passkey' }).count()).toBe(0)
      await page.getByLabel('Recovery phrase or private key').fill(words)
      await press('Look up')
      await says('Your money is below.')
      await page.getByText('Send 0.0001 ETH on this network to it').waitFor()
      const balance = toHex(parseEther('0.0001'))
      await chain.request({ method: 'anvil_setBalance', params: [address, balance] } as never)
      await press('Look up')
      await says('Your money is below.')
      expect(await page.getByText('Send 0.0001 ETH').count()).toBe(0)
      await page.getByLabel('To address').fill(home)
      await press('Withdraw 7.50 USDC')
      await says('Done: withdraw everything.')
    },
    words,
  )
  const wallet = { address: sender.wallet.address as Address, abi: agentWalletAbi }
  const token = await chain.readContract({ ...wallet, functionName: 'USDC' })
  const args = [home] as const
  expect(await chain.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args })).toBe(usdc('7.5'))
  await stack.restartWorker()
})

test('the recovery page on disk reclaims expired payouts, revokes the session key and withdraws without a server @exit-2', async () => {
  const sender = await createSender(stack, { funds: '60', limit: 50 })
  const expired = await createPayout(sender, '7.5')
  await createPayout(sender, '0.25')
  await stack.killWorker()
  const rpcUrl = stack.rpc[8453]
  const chain = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 })
  const wallet = { address: sender.wallet.address as Address, abi: agentWalletAbi }
  await giveEther(chain, sender.owner.address, wallet.address)
  // Unclaimed for 30 days.
  await chain.request({ method: 'evm_increaseTime', params: [31 * 86_400] } as never)
  await chain.request({ method: 'evm_mine', params: [] } as never)
  const home = addressFor('home by page')

  await onRecoveryPage(
    rpcUrl,
    async ({ page, press, says }) => {
      await page.getByLabel('Recovery phrase or private key').fill('not a key')
      await press('Look up')
      await says('This is neither a recovery phrase of 12 words nor a private key.')
      await page.getByLabel('Recovery phrase or private key').fill(sender.ownerKey)
      await press('Look up')
      await says('Your wallet is below.')
      await page.getByText('7.75 USDC in 2').waitFor()

      await press('Reclaim all 2')
      await says('Done: reclaim payouts.')
      await press('Revoke session key')
      await says('Done: revoke the session key.')
      await press('Switch off rotation authority')
      await says('Done: switch off rotation.')
      await page.getByLabel('To address').fill(home)
      await press('Withdraw 60.00 USDC and 0.5 ETH')
      await says('Done: withdraw everything.')
      await page.getByText('0.00 USDC', { exact: true }).waitFor()
    },
    sender.ownerKey.slice(2),
  )

  const token = { address: await chain.readContract({ ...wallet, functionName: 'USDC' }), abi: erc20Abi }
  const balanceOf = (holder: Address) => chain.readContract({ ...token, functionName: 'balanceOf', args: [holder] })
  expect(await balanceOf(home)).toBe(usdc('60'))
  expect(await chain.getBalance({ address: home })).toBe(parseEther('0.5'))
  expect(await balanceOf(expired.escrowSubwalletAddress as Address)).toBe(0n)
  const { sessionRevoked, rotationDisabled, balance } = await chain.readContract({ ...wallet, functionName: 'state' })
  expect({ sessionRevoked, rotationDisabled, balance }).toEqual({
    sessionRevoked: true,
    rotationDisabled: true,
    balance: 0n,
  })
})

type RecoveryPage = {
  page: Page
  press: (name: string | RegExp) => Promise<void>
  says: (text: string) => Promise<void>
}

/** Runs `use` on the recovery page, opened from disk with `rpcUrl`. It must send `secret` nowhere, and ask nobody but the node. */
async function onRecoveryPage(rpcUrl: string, use: (recovery: RecoveryPage) => Promise<void>, secret: string) {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-recovery-'))
  const file = join(folder, 'bursar-recovery.html')
  await writeFile(file, withPasskeys(withFactories(await recoveryPage(), stack.contractSets), 'bursar.example'))
  const browser = await chromium.launch({ executablePath: await findBrowser(() => {}), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const requests: { url: string; body: string }[] = []
    const problems: string[] = []
    page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() ?? '' }))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(pathToFileURL(file).href)
    await page.getByLabel('RPC URL').fill(rpcUrl)
    await use({
      page,
      press: (name) => page.getByRole('button', { name }).click(),
      says: (text) => page.getByRole('status').filter({ hasText: text }).waitFor(within(30_000)),
    })
    expect(problems).toEqual([])
    expect(
      requests.filter(({ url }) => !url.startsWith('file:') && new URL(url).origin !== new URL(rpcUrl).origin),
    ).toEqual([])
    expect(requests.filter(({ body }) => body.includes(secret))).toEqual([])
  } finally {
    await browser.close()
    await rm(folder, { recursive: true })
  }
}

/** Everything an owner needs to do. The owner's key pays the gas. */
async function leave(owner: PrivateKeyAccount, rpcUrl: string, home: Address) {
  const chain = createPublicClient({ transport: http(rpcUrl), pollingInterval: 100 })
  const signer = createWalletClient({ account: owner, transport: http(rpcUrl) })
  const mined = async (hash: Promise<Hex>) => {
    const { status } = await waitForReceipt(chain, await hash)
    expect(status).toBe('success')
  }

  const created = getAbiItem({ abi: agentWalletFactoryAbi, name: 'WalletCreated' })
  const [made] = await chain.getLogs({ event: created, args: { owner: owner.address }, fromBlock: 0n, strict: true })
  const wallet = { address: made!.args.wallet, abi: agentWalletAbi }
  await giveEther(chain, owner.address, wallet.address)
  const escrow = { address: await chain.readContract({ ...wallet, functionName: 'ESCROW' }), abi: payoutEscrowAbi }
  const token = { address: await chain.readContract({ ...wallet, functionName: 'USDC' }), abi: erc20Abi }
  const balanceOf = (holder: Address) => chain.readContract({ ...token, functionName: 'balanceOf', args: [holder] })

  const event = getAbiItem({ abi: payoutEscrowAbi, name: 'PayoutAnnounced' })
  const args = { payer: wallet.address }
  const announced = await chain.getLogs({ address: escrow.address, event, args, fromBlock: 0n, strict: true })
  const reclaimed: bigint[] = []
  for (const { args: terms } of announced) {
    const waiting = await balanceOf(
      await chain.readContract({ ...escrow, functionName: 'payoutAddress', args: [terms] }),
    )
    if (waiting === 0n) continue
    await mined(signer.writeContract({ ...wallet, chain: null, functionName: 'reclaimPayout', args: [terms] }))
    reclaimed.push(waiting)
  }

  const ether = await chain.getBalance({ address: wallet.address })
  for (const [asset, amount] of [
    [token.address, await balanceOf(wallet.address)],
    [zeroAddress, ether],
  ] as const)
    await mined(signer.writeContract({ ...wallet, chain: null, functionName: 'withdraw', args: [asset, home, amount] }))
  const balances = {
    home: await balanceOf(home),
    wallet: await balanceOf(wallet.address),
    homeEther: await chain.getBalance({ address: home }),
    walletEther: await chain.getBalance({ address: wallet.address }),
  }
  return { balances, reclaimed }
}

/** Gives the owner ETH for gas, and the wallet ETH as if somebody had sent it. */
async function giveEther(chain: ReturnType<typeof createPublicClient>, owner: Address, wallet: Address) {
  const give = (address: Address, ether: string) =>
    chain.request({ method: 'anvil_setBalance', params: [address, toHex(parseEther(ether))] } as never)
  await give(owner, '1')
  await give(wallet, '0.5')
}

async function payAndConfirm({ token, wallet }: Sender, amount: string) {
  const body = { walletId: wallet.id, toAddress: addressFor('shop'), amount }
  const { id } = await stack.bursar.api<{ id: string }>('/transactions/send', { token: await token(), body })
  await until('a confirmed send', async () => {
    const { status } = await stack.bursar.api<{ status: string }>(`/transactions/${id}`, { token: await token() })
    return status === 'CONFIRMED'
  })
}

async function createPayout({ token, wallet }: Sender, amount: string): Promise<CreateEscrowReply> {
  const body = { sourceWalletId: wallet.id, amount, recipientEmail: 'ada@bursar.test' }
  const options = { token: await token(), key: randomUUID(), body }
  const payout = await stack.bursar.api<CreateEscrowReply>('/escrow/create', options)
  await until('an open payout', async () => (await statusOf(payout)) === 'CREATED')
  return payout
}

async function claim(payout: CreateEscrowReply, recipientAddress: Address) {
  await stack.bursar.claim(tokenOf(payout), payout.passcode!, recipientAddress)
}

const tokenOf = ({ claimUrl }: CreateEscrowReply) => new URL(claimUrl).pathname.split('/').at(-1)!
const statusOf = async (payout: CreateEscrowReply) =>
  (await stack.bursar.api<{ status: string }>(`/escrow/claim/${tokenOf(payout)}`)).status
