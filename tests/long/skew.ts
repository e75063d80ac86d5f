/**
 * `npm run test:long skew`: runs two versions of Bursar on one state: this one, and a newer one with a made-up second
 * version of every schema. The Treasury's excludes this code; the others do not.
 *
 *   sequential  this version, the newer one on its state, this one on that state as after a rollback, the newer one again
 *   mixed       this Worker with the newer version's objects, and the reverse, as during a deployment
 *
 * Test id: @schema-10
 *
 * Each runs `npm run demo` and claims the payout that the version before it made. It has to be correct or to refuse, and
 * after any refusal the newer version has to continue correctly.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { BursarClient } from '../../local/client.ts'
import { type LocalChain, startLocalChain } from '../../local/stack/chains.ts'
import type { ensureDatabase } from '../../local/stack/database.ts'
import { freePort } from '../../local/stack/ports.ts'
import { ensureLocalSecrets, secretsPathOf } from '../../local/stack/secrets.ts'
import { localVariables } from '../../local/stack/stack.ts'
import { startServer } from '../../local/stack/workerProcess.ts'
import { ensureBuilt } from '../../local/tools/build.ts'
import { root, runTool } from '../../local/tools/runTool.ts'
import { createFundedWallet, createPayout, signIn } from '../support/testStack.ts'

type Payout = Awaited<ReturnType<typeof createPayout>>

const work = await mkdtemp(join(tmpdir(), 'bursar-skew-'))
const newer = join(work, 'newer')
const chains: LocalChain[] = []
try {
  await buildNewer()
  await ensureBuilt('contracts', console.log)
  await ensureBuilt('worker', console.log)
  await sequential()
  await mixedVersions()
} finally {
  await stopChains()
  await rm(work, { recursive: true, force: true })
}

/** Builds the committed code with a second migration of each store, and with the dependencies of this tree. */
async function buildNewer(): Promise<void> {
  console.log('building the newer version …')
  mkdirSync(newer)
  const archive = join(work, 'newer.tar')
  await runTool(['git', 'archive', '--output', archive, 'HEAD'])
  await runTool(['tar', '-xf', archive, '-C', newer])
  writeFileSync(join(newer, 'migrations/0002_made_up.sql'), 'ALTER TABLE user ADD COLUMN made_up TEXT;')
  const sql = "'CREATE TABLE made_up (id INTEGER PRIMARY KEY)'"
  append('treasury/core/storage', '(tables)]', `(tables), contract(${sql}, { oldestCode: 2 })]`)
  for (const folder of ['relayer', 'claims', 'webhooks']) append(folder, '  `),\n]', `  \`),\n  expand(${sql}),\n]`)
  symlinkSync(join(root, 'node_modules'), join(newer, 'node_modules'))
  mkdirSync(join(newer, 'web/dist'))
  await runTool(['node', join(newer, 'local/tools/bundleWorker.ts')])
}

function append(folder: string, end: string, appended: string): void {
  const path = join(newer, 'worker', folder, 'migrations.ts')
  const text = readFileSync(path, 'utf8')
  assert(text.includes(end), `${path} has no end of its list`)
  writeFileSync(path, text.replace(end, appended).replace('newSchema }', 'contract, expand, newSchema }'))
}

async function sequential(): Promise<void> {
  const stack = await startChains('sequential', root)
  const first = await stack.serve('this version', root, root, null)
  assert(first.isCorrect, first.reason)
  await stack.migrate(newer)
  const second = await stack.serve('the newer version on its state', newer, newer, first.open)
  assert(second.isCorrect, second.reason)
  const back = await stack.serve('this version after a rollback', root, root, second.open)
  assert(!back.isCorrect, 'this version used a Treasury that excludes it')
  const third = await stack.serve('the newer version again', newer, newer, back.open)
  assert(third.isCorrect, third.reason)
  await stopChains()
}

async function mixedVersions(): Promise<void> {
  for (const [what, front, objects] of [
    ['this Worker with the newer version’s objects', root, newer],
    ['the newer Worker with this version’s objects', newer, root],
  ] as const) {
    const stack = await startChains(what, newer)
    const before = await stack.serve('the objects’ version alone', objects, objects, null)
    assert(before.isCorrect, before.reason)
    const mixed = await stack.serve(what, front, objects, before.open)
    const after = await stack.serve('the newer version', newer, newer, mixed.open)
    assert(after.isCorrect, after.reason)
    await stopChains()
  }
}

/** Chains, secrets and a database as the version in `tree` makes it. */
async function startChains(name: string, tree: string) {
  console.log(`\n${name}`)
  const stateDir = await mkdtemp(join(work, 'state-'))
  const secretsPath = secretsPathOf(stateDir)
  const secrets = await ensureLocalSecrets(secretsPath)
  const migrate = async (version: string) => {
    const database = (await import(join(version, 'local/stack/database.ts'))) as {
      ensureDatabase: typeof ensureDatabase
    }
    await database.ensureDatabase(stateDir, secrets, () => {})
  }
  await migrate(tree)
  for (const chainId of [8453, 84532] as const) {
    const started = () => {}
    chains.push(await startLocalChain({ chainId, stateDir, secrets, blockTime: 1, port: undefined, started }))
  }
  const [base, sepolia] = chains as [LocalChain, LocalChain]

  /** Runs the Worker of `front` with the objects of `objects`, and on it everything that has to be correct or refused. */
  async function serve(what: string, front: string, objects: string, open: Payout | null) {
    const port = await freePort()
    const url = `http://localhost:${port}`
    const rpc = { 8453: base.url, 84532: sepolia.url }
    const vars = localVariables(url, rpc, { 8453: base.contractSets, 84532: sepolia.contractSets })
    const command = [join(root, 'tests/long/skew/mixedWorker.ts'), String(port), stateDir, secretsPath, front, objects]
    const env = { LEAN_VARS: JSON.stringify(vars) }
    const server = await startServer({ command, cwd: root, port, stateDir, show: false, lean: true, env })
    try {
      const bursar = new BursarClient(url, base.url)
      const claimed = await attempt(() => claim(bursar, open))
      const ran = await demo(url, base.url)
      const made = await attempt(() => makePayout(bursar))
      const failed = [claimed.error, ran, made.error].filter((each) => each !== null)
      const [isCorrect, reason] = [failed.length === 0, failed.join('; ')]
      console.log(`  ${what}: ${isCorrect ? 'correct' : `refused: ${reason}`}`)
      return { isCorrect, reason, open: claimed.error === null ? made.value : open }
    } finally {
      await server.stop()
    }
  }
  return { serve, migrate }
}

async function stopChains(): Promise<void> {
  for (const { process } of chains.splice(0)) await process.stop()
}

async function attempt<T>(action: () => Promise<T>): Promise<{ value: T | null; error: string | null }> {
  try {
    return { value: await action(), error: null }
  } catch (error) {
    return { value: null, error: refusal(error instanceof Error ? error.message : String(error)) }
  }
}

/**
 * Anything but a refusal fails the run: a payment or a claim that was accepted and does not arrive would be wrong.
 */
function refusal(text: string): string {
  assert.match(text, /\b503 service_updating\b/, `neither correct nor refused: ${text}`)
  return text
}

/** Makes a payout that stays open until it is claimed at the next version. */
async function makePayout(bursar: BursarClient): Promise<Payout> {
  const token = await signIn(bursar)
  const { id } = await createFundedWallet(bursar, token)
  return createPayout(bursar, token, id)
}

async function claim(bursar: BursarClient, open: Payout | null): Promise<void> {
  if (!open) return
  await bursar.claim(open.accessToken, open.passcode, privateKeyToAddress(generatePrivateKey()))
}

/** Runs the demo. Returns null if all its books agree, otherwise the refusal. */
async function demo(url: string, rpc: string): Promise<string | null> {
  const program = [join(root, 'scripts/demo.ts'), '--url', url, '--rpc', rpc]
  const child = spawn(process.execPath, ['--no-warnings', ...program], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return null
  assert.doesNotMatch(printed, /\(expected /, `the books do not agree:\n${printed}`)
  return refusal(/✕ (.*)/.exec(printed)?.[1] ?? printed)
}
