/**
 * The environment for tests in workerd: two real chains with our contracts, each behind a node with faults. 8453 mines a
 * block every second; 84532 mines only when a test asks for a block.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { deployContracts } from '../../contracts/deployment.ts'
import { startAnvil } from '../../local/stack/anvil.ts'
import type { ChainId } from '../../worker/chain/types.ts'
import { noLimits } from './limits.ts'
import { deployment, roles } from './localChain.ts'
import { factorVariable, machineFactor } from './patience.ts'
import { startRpcProxy } from './rpcProxy.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    workerBindings: Record<string, string>
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [base, sepolia] = await Promise.all([startChain(8453), startChain(84532)])
  await rpc(sepolia.nodeUrl, 'evm_setAutomine', [false])
  await rpc(base.nodeUrl, 'evm_setIntervalMining', [1])

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256' }
  project.provide('workerBindings', {
    ENVIRONMENT: 'test',
    API_ORIGIN: 'http://localhost:3001',
    APP_ORIGIN: 'http://localhost:3001',
    BETA_ACCESS_URL: 'http://localhost:3001/beta',
    RPC_URLS_8453: base.proxyUrl,
    RPC_URLS_84532: sepolia.proxyUrl,
    CONTRACTS_8453: JSON.stringify(base.contracts),
    CONTRACTS_84532: JSON.stringify(sepolia.contracts),
    // These bypass the faults, for what a test does to the chain itself.
    NODE_URL_8453: base.nodeUrl,
    NODE_URL_84532: sepolia.nodeUrl,
    CONFIRM_DEPTH: '1',
    // Off, because tests move the chains' time.
    MAX_CLOCK_SKEW_SECONDS: '',
    RELAYER_SHARDS: '1',
    LIMITS: JSON.stringify(noLimits),
    SMS_COUNTRIES: '*',
    PASSKEY_DOMAIN: 'localhost',
    [factorVariable]: String(machineFactor),
    // For cases.ts.
    ALL_TESTS: process.env.ALL_TESTS ?? '',
    // tests/worker/drain.test.ts
    DRAIN_HOURS: process.env.DRAIN_HOURS ?? '',
    RETENTION_SENDS: process.env.RETENTION_SENDS ?? '',
    DRAIN_TRIES: process.env.DRAIN_TRIES ?? '',
    KEK_V1: '11'.repeat(32),
    PAYOUT_SECRET_V1: '22'.repeat(32),
    ID_SECRET_V1: '66'.repeat(32),
    RELAYER_SEED_V1: '33'.repeat(32),
    OPERATOR_KEY_V1: roles.operator.key.slice(2),
    CODE_PEPPER: '44'.repeat(32),
    PASSWORD_PEPPER: '55'.repeat(32),
    JWT_PRIVATE_JWK: JSON.stringify(jwk),
    // How many alarms lateAlarms.test.ts loses.
    LOST_ALARMS: process.env.LOST_ALARMS ?? '',
    // How long takeover.test.ts runs.
    TAKEOVER_DAYS: process.env.TAKEOVER_DAYS ?? '',
    TAKEOVER_ADDRESSES: process.env.TAKEOVER_ADDRESSES ?? '',
  })

  return async () => {
    await Promise.all([base.stop(), sepolia.stop()])
  }
}

async function startChain(chainId: ChainId) {
  // Blocks of 84532 are final after up to twenty minutes, 600 blocks, in tests.
  const anvil = await startAnvil({ chainId, ...(chainId === 84532 && { statesKept: 700 }) })
  await rpc(anvil.url, 'anvil_setBalance', [roles.relayer.address, '0x56bc75e2d63100000']) // 100 ETH
  const contracts = await deployContracts(anvil.url, deployment)
  const proxy = await startRpcProxy(anvil.url)
  return {
    contracts,
    nodeUrl: anvil.url,
    proxyUrl: proxy.url,
    async stop() {
      await proxy.stop()
      await anvil.stop()
    },
  }
}

async function rpc(url: string, method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = (await response.json()) as { error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
}
