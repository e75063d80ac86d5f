/** A wallet extension as pages see it: an EIP-1193 provider, announced by EIP-6963. Its keys never enter the page. */
import type { BrowserContext, Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

type Request = { method: string; params?: unknown[] }
type Answer = { result: unknown } | { error: { code: number; message: string } }

export type InjectedWallet = {
  /** Its accounts, the current one first. */
  addresses: [string, string]
  chainId: number
  /** Networks that it knows. */
  chains: Set<number>
  /** Whether the site may see its accounts. */
  authorized: boolean
  requests: Request[]
  /** Makes the next call of `method` fail. Code 4001 means that the user rejected it. */
  refuse(method: string, code?: number): void
  /** Acts as the user does in the wallet's own window. */
  choose(page: Page, addresses: string[]): Promise<void>
  goTo(page: Page, chainId: number): Promise<void>
}

/** Injects the wallet into every page that `context` opens from now on. Other methods are forwarded to the local chain. */
export async function injectWallet(context: BrowserContext, name = 'Test Wallet'): Promise<InjectedWallet> {
  const rdns = `test.bursar.${name.toLowerCase().replaceAll(' ', '-')}`
  const binding = `wallet_${rdns.replaceAll(/\W/g, '_')}`
  const accounts = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())] as const
  const refusals = new Map<string, number>()
  let shown: string[] = accounts.map(({ address }) => address)
  const emit = (page: Page, event: string, payload: unknown) =>
    page.evaluate(([key, type, detail]) => dispatchEvent(new CustomEvent(`${key}:${type}`, { detail })), [
      binding,
      event,
      payload,
    ] as const)

  const wallet: InjectedWallet = {
    addresses: [accounts[0].address, accounts[1].address],
    chainId: 8453,
    chains: new Set([1, 8453]),
    authorized: false,
    requests: [],
    refuse: (method, code = 4001) => refusals.set(method, code),
    async choose(page, addresses) {
      shown = addresses
      wallet.authorized = addresses.length > 0
      await emit(page, 'accountsChanged', addresses)
    },
    async goTo(page, chainId) {
      wallet.chainId = chainId
      await emit(page, 'chainChanged', `0x${chainId.toString(16)}`)
    },
  }

  const visible = () => (wallet.authorized ? shown : [])
  const methods: Record<string, (params: unknown[]) => unknown> = {
    eth_accounts: visible,
    eth_chainId: () => `0x${wallet.chainId.toString(16)}`,
    eth_requestAccounts() {
      wallet.authorized = true
      return visible()
    },
    wallet_requestPermissions() {
      wallet.authorized = true
      return [{ parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: visible() }] }]
    },
    wallet_revokePermissions() {
      wallet.authorized = false
      return null
    },
    wallet_switchEthereumChain([wanted]) {
      const chainId = Number((wanted as { chainId: string }).chainId)
      if (!wallet.chains.has(chainId)) throw refusal(4902, `Unrecognized chain ID ${chainId}`)
      wallet.chainId = chainId
      return null
    },
    wallet_addEthereumChain([added]) {
      wallet.chainId = Number((added as { chainId: string }).chainId)
      wallet.chains.add(wallet.chainId)
      return null
    },
    personal_sign([message, address]) {
      const account = accounts.find((each) => each.address.toLowerCase() === String(address).toLowerCase())
      if (!account) throw refusal(4100, 'Unauthorized')
      return account.signMessage({ message: { raw: message as `0x${string}` } })
    },
    eth_signTypedData_v4([address, json]) {
      const account = accounts.find((each) => each.address.toLowerCase() === String(address).toLowerCase())
      if (!account) throw refusal(4100, 'Unauthorized')
      return account.signTypedData(JSON.parse(String(json)))
    },
  }

  async function answer({ method, params = [] }: Request): Promise<Answer> {
    wallet.requests.push({ method, params })
    try {
      const code = refusals.get(method)
      refusals.delete(method)
      if (code !== undefined) throw refusal(code, `${method} was refused.`)
      const own = methods[method]
      return { result: await (own ? own(params) : onChain(method, params)) }
    } catch (error) {
      const { code = -32603, message } = error as Error & { code?: number }
      return { error: { code, message } }
    }
  }

  await context.exposeFunction(binding, answer)
  await context.addInitScript(announce, { binding, name, rdns })
  return wallet
}

const refusal = (code: number, message: string) => Object.assign(new Error(message), { code })

async function onChain(method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(process.env.BURSAR_RPC!, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  if (error) throw refusal(error.code, error.message)
  return result
}

/** Runs in the page. */
function announce({ binding, name, rdns }: { binding: string; name: string; rdns: string }): void {
  type Listener = (payload: unknown) => void
  const listeners = new Map<string, Set<Listener>>()
  const ask = (window as unknown as Record<string, (request: Request) => Promise<Answer>>)[binding]!
  const emit = (event: string, payload: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(payload)
  }
  for (const event of ['accountsChanged', 'chainChanged'])
    addEventListener(`${binding}:${event}`, (message) => emit(event, (message as CustomEvent).detail))

  const provider = {
    async request(request: Request): Promise<unknown> {
      const answer = await ask(request)
      if ('error' in answer) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
      if (/^wallet_(switch|add)EthereumChain$/.test(request.method))
        emit('chainChanged', (request.params![0] as { chainId: string }).chainId)
      return answer.result
    },
    on(event: string, listener: Listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener)
    },
  }
  const info = {
    uuid: crypto.randomUUID(),
    name,
    rdns,
    icon: 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 1 1%22/%3E',
  }
  const say = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  addEventListener('eip6963:requestProvider', say)
  say()
}
