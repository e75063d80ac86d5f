import { afterEach, expect, test, vi } from 'vitest'
import type { PublicConfig } from '#schemas/account.ts'

const chain = (rpcUrl: string) => ({ rpcUrl, explorerUrl: 'https://explorer.test', contracts: {} })
const deployment = {
  walletConnectProjectId: null,
  chains: { 8453: chain('https://base.test'), 84532: chain('https://sepolia.test') },
} as unknown as PublicConfig

afterEach(() => vi.restoreAllMocks())

test('transports and chains use the specified constants @wallet-link-17', async () => {
  vi.stubGlobal('location', { origin: 'https://app.test' })
  const { walletConfig } = await import('#web/wallet/config.ts')
  const config = walletConfig(deployment)
  expect(config.chains.map(({ id, name, blockTime }) => [id, name, blockTime])).toEqual([
    [8453, 'Base', 2_000],
    [84532, 'Base Sepolia', 2_000],
  ])
  for (const { nativeCurrency } of config.chains)
    expect(nativeCurrency).toEqual({ name: 'Ether', symbol: 'ETH', decimals: 18 })
  for (const [chainId, url] of [
    [8453, 'https://base.test'],
    [84532, 'https://sepolia.test'],
  ] as const) {
    const { transport } = config.getClient({ chainId })
    expect(transport).toMatchObject({ url, timeout: 10_000, retryCount: 3, retryDelay: 150 })
  }
  expect(config.connectors.map(({ type }) => type)).toEqual(['injected', 'coinbaseWallet'])
})

test('concurrent calls are batched into one request, up to 1,000 @wallet-link-18', async () => {
  const { walletConfig } = await import('#web/wallet/config.ts')
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const calls = JSON.parse(String(init?.body)) as { id: number }[]
    return Response.json(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' })))
  })
  const client = walletConfig(deployment).getClient({ chainId: 8453 })
  const params = (i: number) => [`0x${String(i).padStart(40, '0')}`, 'latest'] as const
  const calls = Array.from({ length: 1_001 }, (_, i) =>
    client.request({ method: 'eth_getBalance', params: params(i) as never }),
  )
  await Promise.all(calls)
  const sizes = fetched.mock.calls.map(([, init]) => (JSON.parse(String(init?.body)) as unknown[]).length)
  expect(sizes).toEqual([1_000, 1])
})

test('WalletConnect is offered if there is a project id, and its client does not log lost connections @wallet-link-19', async () => {
  vi.resetModules()
  const { walletConfig } = await import('#web/wallet/config.ts')
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { error } = console
  const config = walletConfig({ ...deployment, walletConnectProjectId: '0123456789abcdef0123456789abcdef' })
  expect(config.connectors.map(({ type }) => type)).toEqual(['injected', 'coinbaseWallet', 'walletConnect'])
  console.error('Connection interrupted while trying to subscribe')
  console.error(new Error('Fatal: Connection interrupted'))
  expect(logged).not.toHaveBeenCalled()
  console.error('Something else')
  expect(logged).toHaveBeenCalledWith('Something else')
  console.error = error
})

test('wallets are shown our site name, and Coinbase Wallet is limited to ordinary accounts @wallet-link-25', async () => {
  vi.resetModules()
  vi.stubGlobal('location', { origin: 'https://app.test' })
  const asked: unknown[] = []
  vi.doMock(import('wagmi/connectors/coinbaseWallet'), async (original) => {
    const { coinbaseWallet, ...rest } = await original()
    const noting = (options: Parameters<typeof coinbaseWallet>[0]) => {
      asked.push(options)
      return coinbaseWallet(options)
    }
    return { ...rest, coinbaseWallet: noting as typeof coinbaseWallet }
  })
  vi.doMock(import('wagmi/connectors/walletConnect'), async (original) => {
    const { walletConnect, ...rest } = await original()
    const noting = (options: Parameters<typeof walletConnect>[0]) => {
      asked.push(options)
      return walletConnect(options)
    }
    return { ...rest, walletConnect: noting as typeof walletConnect }
  })
  const { walletConfig } = await import('#web/wallet/config.ts')
  walletConfig({ ...deployment, walletConnectProjectId: '0123456789abcdef0123456789abcdef' })
  vi.doUnmock('wagmi/connectors/coinbaseWallet')
  vi.doUnmock('wagmi/connectors/walletConnect')
  expect(asked).toContainEqual({ appName: 'Bursar agent payments', preference: { options: 'eoaOnly' } })
  expect(asked).toContainEqual(
    expect.objectContaining({ metadata: expect.objectContaining({ name: 'Bursar agent payments' }) }),
  )
})

test('a call is tried four times, with doubling delays @wallet-link-26', async () => {
  vi.resetModules()
  vi.useFakeTimers()
  const at: number[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    at.push(Date.now())
    throw new TypeError('no network')
  })
  const { walletConfig } = await import('#web/wallet/config.ts')
  const call = walletConfig(deployment).getClient({ chainId: 8453 }).request({ method: 'eth_chainId' })
  call.catch(() => undefined)
  await vi.advanceTimersByTimeAsync(5_000)
  await expect(call).rejects.toThrow()
  vi.useRealTimers()
  const waits = at.slice(1).map((time, i) => Math.round((time - at[i]!) / 10) * 10)
  expect(waits).toEqual([150, 300, 600])
})
