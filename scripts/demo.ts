/**
 * `npm run demo`: runs the main flow against a running stack, through the public API alone. Compares the books at the
 * end: succeeds only if the ledger, the budgets and the chain agree to one micro-USDC.
 *
 *   --url, --rpc  the server and its chain, an anvil (or BURSAR_URL, BURSAR_RPC); default: those of `npm run dev`
 *   --inbox       the stand-in that receives its mail, for a server without /dev: USDC is then minted through --rpc
 *   --passcode    for the sign-up; default: the local stack's
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { formatUsdc, parseUsdc } from '#domain/money.ts'
import { minuteMs } from '#domain/time.ts'
import type { PublicConfig } from '#schemas/account.ts'
import type { ClaimPayout, ClaimReply, CreateEscrowReply, Escrow, VerifyReply } from '#schemas/escrow.ts'
import type { CreatedAgent, PolicyGroup } from '#schemas/policy.ts'
import type { DeployReply, Wallet, WalletLedger } from '#schemas/wallet.ts'
import { Bursar, BursarError, BursarRefusal } from '#sdk'
import { BursarClient, until } from '../local/client.ts'
import { demo } from '../local/stack/seed.ts'
import { walletAddress } from '../worker/chain/addresses.ts'
import { RpcClient } from '../worker/chain/rpcClient.ts'
import type { Address, Contracts, Hex } from '../worker/chain/types.ts'
import { mintOnAnvil } from '../worker/dev/faucet.ts'

const text = { type: 'string' } as const
const { values: options } = parseArgs({ options: { url: text, rpc: text, inbox: text, passcode: text } })
const withoutSlash = (url: string) => url.replace(/\/$/, '')
const bursar = new BursarClient(
  withoutSlash(options.url ?? process.env.BURSAR_URL ?? 'http://localhost:3001'),
  options.rpc ?? process.env.BURSAR_RPC ?? 'http://127.0.0.1:8545',
  options.inbox && `${withoutSlash(options.inbox)}/messages`,
)
const usdc = (text: string) => parseUsdc(text) ?? fail(`${text} is not an amount`)
const newAddress = () => privateKeyToAddress(generatePrivateKey())
const run = randomUUID().slice(0, 8)
const startedAt = Date.now()

let steps = 0
const step = (title: string) => console.log(`\n${String(++steps).padStart(2)}. ${title}`)
const tell = (label: string, value: string) => console.log(`    ${label.padEnd(12)} ${value}`)
const budgetOf = (figures: { limit: string | null; spent: string; held: string; remaining: string | null }) =>
  `spent ${figures.spent}, held ${figures.held}, remaining ${figures.remaining ?? 'unlimited'} of ${figures.limit ?? 'no limit'}`

const checks: { what: string; expected: string; found: string }[] = []
const check = (what: string, expected: string, found: string) => checks.push({ what, expected, found })

function fail(message: string): never {
  throw new Error(message)
}

const untilIs = <T extends { status: string }>(what: string, status: T['status'], look: () => Promise<T>): Promise<T> =>
  until(what, async () => {
    const now = await look()
    return now.status === status && now
  })

/** Signs up with the passcode and signs in with the password from the email. Returns the access token. */
async function signUp(): Promise<string> {
  step('Sign up with a passcode; the temporary password comes by email')
  const email = `demo-${run}@bursar.test`
  await bursar.api('/users', { body: { email, name: 'Ada', signupPasscode: options.passcode ?? demo.signupPasscode } })
  const [, password] = await bursar.message(email, /temporary password:\n\n(\S+)/, 'the temporary password')
  const { accessToken } = await bursar.signIn(email, password!)
  tell('account', email)
  return accessToken
}

/** The owner's key never leaves this process, just as it never leaves a user's browser. */
async function deployWallet(token: string, contracts: Contracts): Promise<Wallet> {
  step('Deploy a wallet with an owner key that is created here and never sent')
  const ownerAddress = newAddress()
  const body = { ownerAddress, chainId: 8453, name: 'Operations' }
  const { id } = await bursar.api<DeployReply>('/wallets/smart-wallets-v2/deploy', { token, key: randomUUID(), body })
  const wallet = await until('the wallet to be active', async () =>
    (await bursar.api<Wallet[]>('/wallets', { token })).find((each) => each.id === id && each.status === 'active'),
  )
  const predicted = walletAddress(contracts, {
    owner: ownerAddress,
    salt: wallet.salt as Hex,
    sessionKey: wallet.sessionKeyAddress as Address,
    limit: BigInt(wallet.spendingLimit),
    purchaseAllowance: wallet.purchaseAllowance,
    validUntil: wallet.validUntil,
  })
  tell('wallet', wallet.address)
  tell('predicted', `${predicted} from the owner and the session alone`)
  tell('transaction', wallet.deploymentTxHash ?? '-')
  check('wallet address = predicted address', predicted, wallet.address)
  check('wallet is a contract', 'true', String(await bursar.hasCode(wallet.address as Address)))
  return wallet
}

async function fund(token: string, wallet: Wallet, usdcToken: Address): Promise<void> {
  step('Fund it with 200 USDC (the local stand-in, minted for free)')
  tell('transaction', await (options.inbox ? mintByChain() : mintByFaucet()))
  // Payments may use the deposit once it is CONFIRM_DEPTH blocks deep; reading the balance books it.
  const balance = await until('the deposit to arrive', async () => {
    await bursar.api(`/wallets/${wallet.id}/usdc-balance`, { token })
    const { available } = await bursar.api<WalletLedger>(`/wallets/${wallet.id}/ledger`, { token })
    return available !== '0' && available
  })
  tell('balance', balance)

  function mintByChain() {
    return mintOnAnvil(new RpcClient(bursar.rpcUrl), usdcToken, wallet.address, usdc('200'))
  }
  async function mintByFaucet() {
    const body = { address: wallet.address, amount: '200' }
    return (await bursar.plain<{ data: { txHash: string } }>('/dev/faucet', { body })).data.txHash
  }
}

async function makeGroup(token: string, walletId: string): Promise<PolicyGroup> {
  step('Create a policy group: 50 USDC, to addresses and emails')
  const scopes = ['address_payments:write', 'email_payments:write']
  const body = { name: 'Research', spendLimit: 50, scopes, walletId }
  const group = await bursar.api<PolicyGroup>('/policy-groups', { token, key: randomUUID(), body })
  tell('budget', budgetOf({ ...group, limit: group.spendLimitUsdc, spent: group.currentSpent }))
  return group
}

async function makeAgent(token: string, policyGroupId: string): Promise<Bursar> {
  step('Create an agent; it signs in with OAuth client credentials')
  const body = { name: 'Scout', policyGroupId }
  const { clientId, clientSecret } = await bursar.api<CreatedAgent>('/agents', { token, key: randomUUID(), body })
  const agent = new Bursar({ url: bursar.url, clientId, clientSecret: clientSecret ?? '' })
  const { policy_group, max_allowed_now } = await agent.context()
  tell('client', clientId)
  tell('scopes', policy_group.scopes.join(', '))
  tell('allowed now', max_allowed_now)
  return agent
}

async function payAddress(agent: Bursar, recipient: Address): Promise<void> {
  step('The agent pays 12.5 USDC to an address')
  const terms = { to: recipient, amount: '12.5', memo: 'data set', idempotencyKey: randomUUID() }
  const accepted = await agent.pay(terms)
  tell('accepted', `${accepted.id} ${accepted.status}; ${budgetOf(accepted.budget)}`)
  const paid = await agent.payments.wait(accepted.id, { signal: AbortSignal.timeout(minuteMs) })
  tell('confirmed', budgetOf(paid.budget))
  tell('transaction', paid.tx_hash ?? '-')

  step('Repeat the request, as after a lost reply: the same payment, not a second one')
  const again = await agent.pay(terms)
  tell('reply', `${again.id} ${again.status}, replayed: ${again.replayed}`)
  check('a repeated key returns the same payment', accepted.id, again.id)

  step('Reuse the key for another amount: refused')
  const other = await errorOf(agent.pay({ ...terms, amount: '13' }))
  tell('reply', `${other.code}: ${other.message}`)
  check('a used key with different content', '422', String(other.status))
}

async function overBudget(agent: Bursar): Promise<void> {
  step('The agent tries to pay 100 USDC, more than its budget has left')
  const error = await errorOf(agent.pay({ to: newAddress(), amount: '100' }))
  if (!(error instanceof BursarRefusal)) throw error
  const { limit = null, spent = '?', held = '?', remaining = null } = error.problem ?? {}
  tell('reply', `${error.code}: ${error.message}`)
  tell('figures', `${budgetOf({ limit, spent, held, remaining })}; allowed now: ${error.maxAllowedNow}`)
  if (error.next) tell('next', error.next)
  check('a payment over budget', '403 budget_exceeded', `${error.status} ${error.code}`)
}

/** The error of a call that must be refused. */
async function errorOf(call: Promise<unknown>): Promise<BursarError> {
  const error = await call.then(
    () => fail('a payment that must be refused was accepted'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof BursarError)) throw error
  return error
}

async function payStranger(agent: Bursar, recipient: Address): Promise<void> {
  step('The agent pays 10 USDC to an email address: a payout waits for its recipient')
  const email = `stranger-${run}@bursar.test`
  const { id } = await agent.pay({ to: email, amount: '10' })
  const [, accessToken, passcode] = await bursar.message(email, /\/claim\/(\S+)[\s\S]*?^(\d{6})$/m, 'link and code')
  const waiting = await agent.payments.get(id)
  tell('waiting', `${waiting.status}; ${budgetOf(waiting.budget)}`)
  tell('transaction', waiting.tx_hash ?? '-')

  step('The stranger opens the link, enters the code and takes the money to a new address')
  const look = () => bursar.api<ClaimPayout>(`/escrow/claim/${accessToken}`)
  const page = await untilIs('the payout to be claimable', 'CREATED', look)
  tell('page', `${page.amount} USDC for ${page.recipientEmail}, ${page.status}`)
  const wrong = passcode === '000000' ? '000001' : '000000'
  const refused = await bursar.call<{ error: string }>('/api/escrow/verify-passcode', {
    body: { accessToken, passcode: wrong },
  })
  tell('wrong code', `${refused.status} ${refused.body.error}`)
  check('a wrong code', '422', String(refused.status))
  const { sessionToken, balance } = await bursar.api<VerifyReply>('/escrow/verify-passcode', {
    body: { accessToken, passcode },
  })
  tell('code', `correct; the payout holds ${balance} USDC`)
  const claim = { accessToken, sessionToken, recipientAddress: recipient }
  await bursar.api<ClaimReply>('/escrow/claim', { body: claim })
  const taken = await untilIs('the payout to be withdrawn', 'WITHDRAWN', look)
  tell('withdrawn', `to ${recipient}`)
  tell('transaction', taken.txHash ?? '-')
  const paid = await agent.payments.wait(id, { until: 'final', signal: AbortSignal.timeout(minuteMs) })
  tell('budget', budgetOf(paid.budget))
}

async function reclaim(token: string, walletId: string): Promise<void> {
  step('The user sends a payout of 5 USDC and reclaims it')
  const body = { sourceWalletId: walletId, amount: '5', recipientEmail: `nobody-${run}@bursar.test`, expiresInDays: 7 }
  const { escrowId } = await bursar.api<CreateEscrowReply>('/escrow/create', { token, key: randomUUID(), body })
  const look = () => bursar.api<Escrow>(`/escrow/${escrowId}`, { token })
  const created = await until('the payout to be funded', async () => {
    const now = await look()
    if (now.status === 'FAILED') fail(`funding failed: ${now.errorMessage}`)
    return now.status === 'CREATED' && now
  })
  tell('funded', created.fundingTxHash ?? '-')
  await bursar.api(`/escrow/${escrowId}/reclaim`, { token, key: randomUUID(), body: {} })
  const ended = await untilIs('the payout to be reclaimed', 'RECLAIMED', look)
  tell('reclaimed', ended.txHash ?? '-')
}

async function compareBooks(
  token: string,
  contracts: Contracts,
  groupId: string,
  paid: Record<Address, string>,
): Promise<void> {
  step('Compare the books: ledger and budget with the chain, which is read without Bursar')
  for (const wallet of await bursar.api<Wallet[]>('/wallets', { token })) {
    const books = await bursar.api<WalletLedger>(`/wallets/${wallet.id}/ledger`, { token })
    const onChain = await bursar.usdcOnChain(contracts.usdc, wallet.address as Address)
    const { deposits, returns, available, held, out, withdrawn } = books
    tell(
      wallet.name ?? wallet.id,
      `deposits ${deposits}, returns ${returns}, out ${out}, held ${held}, available ${available}`,
    )
    check('wallet: available + held = chain', formatUsdc(usdc(available) + usdc(held)), formatUsdc(onChain))
    const kept = usdc(available) + usdc(held) + usdc(out) + usdc(withdrawn)
    check(
      'wallet: deposits + returns = available + held + out + withdrawn',
      formatUsdc(usdc(deposits) + usdc(returns)),
      formatUsdc(kept),
    )
    check('wallet: 200 − 12.5 − 10', '177.5', formatUsdc(onChain))
    check('wallet: nothing held or escrowed at rest', '0 0', `${held} ${books.escrowed}`)
    check('wallet: spent', '22.5', books.spent)
  }
  const groups = await bursar.api<PolicyGroup[]>('/policy-groups', { token })
  const group = groups.find(({ id }) => id === groupId) ?? fail('the group is missing')
  tell(group.name, budgetOf({ ...group, limit: group.spendLimitUsdc, spent: group.currentSpent }))
  check('budget: spent, held, remaining', '22.5 0 27.5', `${group.currentSpent} ${group.held} ${group.remaining}`)
  for (const [address, amount] of Object.entries(paid))
    check(`recipient of ${amount}`, amount, formatUsdc(await bursar.usdcOnChain(contracts.usdc, address as Address)))
}

/** Prints all checks. Returns whether they all agree. */
function printChecks(): boolean {
  const width = Math.max(...checks.map(({ what }) => what.length))
  console.log('')
  for (const { what, expected, found } of checks) {
    const agrees = expected === found
    console.log(`  ${agrees ? '✓' : '✕'} ${what.padEnd(width)}  ${found}${agrees ? '' : `  (expected ${expected})`}`)
  }
  const wrong = checks.filter(({ expected, found }) => expected !== found).length
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${checks.length - wrong} of ${checks.length} checks agree, in ${seconds} s.`)
  return wrong === 0
}

try {
  const { chains } = await bursar.api<PublicConfig>('/config')
  const contracts = chains[8453].contracts as Contracts
  console.log(`Bursar at ${bursar.url}, chain at ${bursar.rpcUrl}`)
  const token = await signUp()
  const wallet = await deployWallet(token, contracts)
  await fund(token, wallet, contracts.usdc)
  const group = await makeGroup(token, wallet.id)
  const agent = await makeAgent(token, group.id)
  const [supplier, stranger] = [newAddress(), newAddress()]
  await payAddress(agent, supplier)
  await overBudget(agent)
  await payStranger(agent, stranger)
  await reclaim(token, wallet.id)
  await compareBooks(token, contracts, group.id, { [supplier]: '12.5', [stranger]: '10' })
  if (!printChecks()) process.exitCode = 1
} catch (error) {
  console.error(`\n✕ ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
