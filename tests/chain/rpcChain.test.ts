import { encodeFunctionData, keccak256, pad, toHex } from 'viem'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { serve } from '../../local/standIns/server.ts'
import { agentWalletAbi } from '../../worker/chain/abi.ts'
import { chainsFrom, RpcChain } from '../../worker/chain/rpcChain.ts'
import { RpcError, RpcUnavailable } from '../../worker/chain/types.ts'
import { digestOf } from '../../worker/chain/watchReader.ts'
import { walletsPerCall } from '../../worker/domain/watch.ts'
import { oneSet } from '../support/contractSets.ts'
import { createWallet, createWalletData, party, signSend, startLocalChain } from '../support/localChain.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'

const local = await startLocalChain()
const proxy = await startRpcProxy(local.url)
const second = await startRpcProxy(local.url)
const chain = new RpcChain(8453, oneSet(local.contracts), [proxy.url, second.url])

afterAll(async () => {
  await proxy.stop()
  await second.stop()
  await local.stop()
})

afterEach(() => {
  proxy.setFault({ mode: 'none' })
  second.setFault({ mode: 'none' })
})

/** Starts a node that returns the same body for every request. */
async function startNodeAnswering(body: string, status = 200) {
  const { url, stop } = await serve((_, response) => response.writeHead(status).end(body))
  return { chain: new RpcChain(8453, oneSet(local.contracts), [url]), stop }
}

describe('reading', () => {
  test('returns the balances of many addresses by one call @safety-30', async () => {
    const accounts = [0, 1, 2].map((i) => party(`account ${i}`).address)
    await local.mint(accounts[0]!, 1n)
    await local.mint(accounts[2]!, 2n ** 63n)
    expect(await chain.usdcBalances(accounts)).toEqual([1n, 0n, 2n ** 63n])
    expect(await chain.usdcBalances([])).toEqual([])
    const counted = async () => (await fetch(`${proxy.url}/calls`, { method: 'POST' })).json()
    await counted()
    expect(await chain.usdcBalances(Array.from({ length: 50 }, () => accounts[0]!))).toEqual(Array(50).fill(1n))
    expect(await counted()).toEqual({ eth_call: 1 })

    const others = { ...local.contracts, usdc: accounts[1]! }
    const without = new RpcChain(8453, oneSet(others), [proxy.url])
    await expect(without.usdcBalances(accounts), 'an address without code').rejects.toThrow(RpcError)
    const node = await startNodeAnswering('{"jsonrpc":"2.0","id":0,"result":"0x00"}')
    await expect(node.chain.usdcBalances(accounts)).rejects.toThrow(RpcUnavailable)
    await node.stop()
  })

  test('returns digests of many wallets at one block, equal to those of single readings @watch-1', async () => {
    const wallet = await createWallet(local, 'digest')
    const [account, withCode] = [party('digest account').address, party('digest with code').address]
    for (const address of [wallet.address, account, withCode]) await local.mint(address, 5n)
    const smart = { kind: 'smart' as const, address: wallet.address }
    const imported = { kind: 'imported' as const, address: account }
    const single = async (block: number) => {
      const state = await chain.walletState(wallet.address, block)
      return [
        digestOf(state, state?.balance ?? (await chain.usdcBalance(wallet.address, block))),
        digestOf(null, await chain.usdcBalance(account, block)),
      ]
    }
    const seen: string[][] = []
    const look = async () => {
      const { number } = await chain.head()
      const digests = await chain.digests([smart, imported], number)
      expect(digests).toEqual(await single(number))
      seen.push(digests)
      return number
    }
    const undeployed = await look()
    await local.submit(local.contracts.factory, createWalletData(wallet.parameters))
    await look()
    await local.mint(wallet.address, 2_000_000n)
    await look()
    const { to, amount, nonce, deadline, r, vs } = signSend(local, wallet, {
      to: party('friend').address,
      amount: 2_000_000n,
      sequence: 3,
      deadline: (await local.now()) + 300,
    })
    const args = [to, amount, nonce, deadline, r, vs] as const
    await local.submit(wallet.address, encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args }))
    const last = await look()
    expect(new Set(seen.map(([digest]) => digest)).size, 'deployment, deposit and send change it').toBe(4)
    expect(new Set(seen.map(([, digest]) => digest)).size).toBe(1)
    expect(await chain.digests([smart, imported], undeployed), 'an older block').toEqual(seen[0])
    await expect(chain.digests([smart], last + 1_000), 'a block that the node lacks').rejects.toThrow()

    // A plain account may get code at any time (EIP-7702), here code that would use up all gas.
    const plain = { kind: 'imported' as const, address: withCode }
    expect((await chain.digests([plain], last))[0]).toBe(digestOf(null, 5n))
    await local.client.request({ method: 'anvil_setCode', params: [withCode, '0x5b600056'] } as never)
    expect(await chain.digests([plain, smart], (await chain.head()).number)).toEqual([pad('0x'), seen[3]![0]])

    const many = await chain.digests(Array(walletsPerCall).fill(smart), last)
    expect(many).toEqual(Array(walletsPerCall).fill(seen[3]![0]))
    expect(await chain.digests([], last)).toEqual([])
    const node = await startNodeAnswering('{"jsonrpc":"2.0","id":0,"result":"0x00"}')
    await expect(node.chain.digests([smart], last)).rejects.toThrow(RpcUnavailable)
    await node.stop()
  })

  test('returns the state of a wallet before and after its deployment', async () => {
    const wallet = await createWallet(local, 'state', { purchaseAllowance: 12 })
    expect(await chain.walletState(wallet.address)).toBeNull()
    await local.submit(local.contracts.factory, createWalletData(wallet.parameters))
    await local.mint(wallet.address, 7_000_000n)
    const send = signSend(local, wallet, {
      to: party('payee').address,
      amount: 2_000_000n,
      sequence: 3,
      deadline: (await local.now()) + 300,
    })
    const { to, amount, nonce, deadline, r, vs } = send
    const args = [to, amount, nonce, deadline, r, vs] as const
    await local.submit(wallet.address, encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args }))

    const head = await chain.head()
    expect(await chain.walletState(wallet.address)).toEqual({
      blockNumber: head.number,
      timestamp: head.timestamp,
      sessionKey: wallet.session.address.toLowerCase(),
      validUntil: wallet.parameters.validUntil,
      epoch: 1,
      rotationDisabled: false,
      sessionRevoked: false,
      remaining: 4_986_000_000n,
      top: nonce,
      // Bit 0 is the nonce just used; bit 3 is the epoch's first, unused.
      seen: 1n,
      balance: 5_000_000n,
      ownerNonce: 0n,
      purchaseAllowance: 12,
    })
    expect(await chain.usdcBalance(party('payee').address)).toBe(2_000_000n)
  })

  test('returns logs for several filters in one round trip, from either node', async () => {
    const { number } = await chain.head()
    const transfer = keccak256(toHex('Transfer(address,address,uint256)'))
    const filters = [
      { address: local.contracts.usdc, topics: [transfer], fromBlock: 0, toBlock: number },
      { address: [local.contracts.relay], fromBlock: 0, toBlock: number },
    ]
    const [transfers, none] = await chain.logs(filters)
    expect(transfers?.length).toBeGreaterThan(0)
    expect(transfers?.[0]).toMatchObject({ address: local.contracts.usdc.toLowerCase() })
    expect(none).toEqual([])
    proxy.setFault({ mode: 'down' })
    expect(await chain.logs(filters, 'second')).toEqual([transfers, none])
    await expect(new RpcChain(8453, oneSet(local.contracts), [proxy.url]).logs(filters, 'second')).rejects.toThrow(
      RpcUnavailable,
    )
  })

  test('returns blocks, fees, nonce, balance and code', async () => {
    const [head, finalized, fees, nonce, balance, code] = await Promise.all([
      chain.head(),
      chain.finalized(),
      chain.fees(),
      chain.accountNonce(party('relayer').address, 'latest'),
      chain.nativeBalance(party('relayer').address),
      chain.code(local.contracts.relay),
    ])
    expect(finalized.number).toBeLessThanOrEqual(head.number)
    expect(fees.baseFeePerGas).toBeGreaterThan(0n)
    expect(fees.maxPriorityFeePerGas).toBeGreaterThan(0n)
    expect(nonce).toBeGreaterThan(0)
    expect(balance).toBeGreaterThan(0n)
    expect(code.length).toBeGreaterThan(100)
  })

  test('chainsFrom configures both chains from the settings', () => {
    const contracts = JSON.stringify(local.contracts)
    const chains = chainsFrom({
      RPC_URLS_8453: 'http://a, http://b',
      RPC_URLS_84532: 'http://c',
      CONTRACTS_8453: contracts,
      CONTRACTS_84532: contracts,
    })
    expect([chains[8453].hasSecond, chains[84532].hasSecond]).toEqual([true, false])
    expect(chains[84532]).toMatchObject({ chainId: 84532, contractSets: oneSet(local.contracts) })
  })
})

describe('a refusal by the node', () => {
  test("names the contract's error with its arguments, and USDC's text", async () => {
    const wallet = await createWallet(local, 'no')
    await local.submit(local.contracts.factory, createWalletData(wallet.parameters))
    const attempt = async (over: { epoch?: number; amount?: bigint }) => {
      const deadline = (await local.now()) + 300
      const send = signSend(local, wallet, { to: party('payee').address, amount: 1n, sequence: 0, deadline, ...over })
      const args = [send.to, send.amount, send.nonce, deadline, send.r, send.vs] as const
      return chain.call({
        to: wallet.address,
        data: encodeFunctionData({ abi: agentWalletAbi, functionName: 'send', args }),
      })
    }
    const wrongEpoch = await attempt({ epoch: 9 }).catch((error: unknown) => error)
    expect(wrongEpoch).toBeInstanceOf(RpcError)
    expect(wrongEpoch).toMatchObject({ message: 'WrongEpoch(9, 1)', code: 3 })
    await expect(attempt({})).rejects.toThrow('ERC20: transfer amount exceeds balance')
  })

  test('a rate limit is not a refusal', async () => {
    const node = await startNodeAnswering('{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"limit exceeded"}}')
    await expect(node.chain.code(local.contracts.usdc)).rejects.toThrow(RpcUnavailable)
    await node.stop()
  })

  test.each([
    [-32005, 'query returned more than 10000 results'],
    [-32005, 'query exceeds max results 20000, retry with the range 1-2'],
    [-32005, 'eth_getLogs is limited to a 10,000 block range'],
    [-32016, 'backend response too large'],
    [-32602, 'Log response size exceeded.'],
    [-32000, 'query timeout exceeded'],
  ])('a node that returns no logs with %i %s has refused the range', async (code, message) => {
    const node = await startNodeAnswering(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } }))
    const logs = node.chain.logs([{ address: local.contracts.usdc, fromBlock: 1, toBlock: 9 }])
    await expect(logs).rejects.toThrow(RpcError)
    await node.stop()
  })
})

describe('an unknown outcome', () => {
  test.each([
    ['an empty body', ''],
    ['a truncated response', '{"jsonrpc":"2.0","id":0,"res'],
    ['a response to another call', '{"jsonrpc":"2.0","id":7,"result":"0x1"}'],
    ['an empty list', '[]'],
    ['a result of another shape', '{"jsonrpc":"2.0","id":0,"result":{"number":"0x1"}}'],
    ['null for a required result', '{"jsonrpc":"2.0","id":0,"result":null}'],
    ['a number instead of hex', '{"jsonrpc":"2.0","id":0,"result":5}'],
  ])('%s is an unknown outcome', async (_, body) => {
    const node = await startNodeAnswering(body)
    await expect(node.chain.head()).rejects.toThrow(RpcUnavailable)
    await expect(node.chain.sendRaw('0x00')).rejects.toThrow(RpcUnavailable)
    await expect(node.chain.usdcBalance(local.contracts.usdc)).rejects.toThrow(RpcUnavailable)
    await node.stop()
  })

  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const state = (words: bigint[]) => `{"jsonrpc":"2.0","id":0,"result":"0x${words.map(word).join('')}"}`
  const valid = [9n, 1_900_000_000n, 1n, 2_000_000_000n, 1n, 0n, 0n, 5n, 0n, 0n, 5n, 0n, 0n, 0n, 0n]

  test.each([
    ['too short', valid.slice(0, 9)],
    ['with a boolean of 2', valid.with(5, 2n)],
  ])('a wallet state %s is an unknown outcome', async (_, words) => {
    const [honest, broken] = [await startNodeAnswering(state(valid)), await startNodeAnswering(state(words))]
    expect(await honest.chain.walletState(local.contracts.usdc)).toMatchObject({ epoch: 1, remaining: 5n })
    await expect(broken.chain.walletState(local.contracts.usdc)).rejects.toThrow(RpcUnavailable)
    await honest.stop()
    await broken.stop()
  })

  test('the logs of a block that arrive incompletely are an unknown outcome, and a refusal is one', async () => {
    const log = `{"address":"${local.contracts.usdc}","topics":["${toHex(1, { size: 32 })}"],"data":"0x","blockNumber":"0x1","blockHash":"${toHex(2, { size: 32 })}","transactionHash":"${toHex(3, { size: 32 })}","logIndex":"0x0"}`
    const read = async (body: string) => {
      const node = await startNodeAnswering(body)
      let logs = 0
      const reading = node.chain.blockLogs(1, () => {
        logs += 1
      })
      return reading
        .then(() => logs)
        .catch((error: Error) => error.name)
        .finally(node.stop)
    }
    const head = '{"jsonrpc":"2.0","id":0,'
    expect(await read(`${head}"result":[{"logs":[${log},${log}]},{"logs":[],"status":"0x1"}]}`)).toBe(2)
    expect(await read(`{"result": [{"logs":[${log}],"type":"0x2"}], "id": 0}\n`)).toBe(1)
    expect(await read(`${head}"result":[]}`)).toBe(0)
    for (const cut of [
      `"result":[{"logs":[${log}`,
      `"result":[{"logs":[${log}],"type":"0x2"}`,
      '"result":[',
      '"result":null}',
    ])
      expect(await read(head + cut), cut.slice(-20)).toBe('RpcUnavailable')
    expect(await read(`${head}"result":[{"logs":[${log.replace('0x0', '?')}]}]}`)).toBe('RpcUnavailable')
    expect(await read(`${head}"error":{"code":-32000,"message":"no such block"}}`)).toBe('RpcError')
  })

  test('a response missing from a batch fails only its own call', async () => {
    const responses = [0, 2].map((id) => ({ jsonrpc: '2.0', id, result: `0x0${id + 1}` }))
    const node = await startNodeAnswering(JSON.stringify(responses))
    const { usdc } = local.contracts
    const results = await Promise.allSettled([
      node.chain.code(usdc),
      node.chain.nativeBalance(usdc),
      node.chain.code(local.contracts.relay),
    ])
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name))).toEqual([
      '0x01',
      'RpcUnavailable',
      '0x03',
    ])
    await node.stop()
  })

  test.each([429, 500, 503])('HTTP %i is an unknown outcome', async (status) => {
    const node = await startNodeAnswering('{"jsonrpc":"2.0","id":0,"result":"0x1"}', status)
    await expect(node.chain.nativeBalance(local.contracts.usdc)).rejects.toThrow(RpcUnavailable)
    await node.stop()
  })

  test('a silent node times out after 5 s', async () => {
    proxy.setFault({ mode: 'slow', delayMs: 8_000 }) // it would reply then
    await expect(chain.head()).rejects.toThrow(RpcUnavailable)
  })

  test('a node that is down is an unknown outcome, and a missing receipt is null', async () => {
    proxy.setFault({ mode: 'down' })
    await expect(chain.accountNonce(party('relayer').address, 'pending')).rejects.toThrow(RpcUnavailable)
    const { hash } = await local.client.getBlock()
    proxy.setFault({ mode: 'lie' })
    expect(await chain.receipt(hash)).toBeNull()
  })
})
