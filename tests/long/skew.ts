/**
 * `npm run test:long skew`: runs two versions of Bursar on one state. The older one is built from git: a version from
 * before schemas said which code may use them, unless SKEW_COMMIT names another commit.
 *
 *   sequential  the older version, this one on its state, the older one on that state as after a rollback, this one again
 *   mixed       the older Worker with this version's objects, and the reverse, as during a deployment
 *
 * Test id: @schema-10
 *
 * Each runs `npm run demo` and claims the payout that the version before it made. It has to be correct or to refuse, and
 * after any refusal this version has to continue correctly.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { ClaimPayout, VerifyReply } from '#schemas/escrow.ts'
import { BursarClient, until } from '../../local/client.ts'
import { type LocalChain, startLocalChain } from '../../local/stack/chains.ts'
import type { ensureDatabase } from '../../local/stack/database.ts'
import { freePort } from '../../local/stack/ports.ts'
import { ensureLocalSecrets, secretsPathOf } from '../../local/stack/secrets.ts'
import { localVariables } from '../../local/stack/variables.ts'
import { startServer } from '../../local/stack/workerProcess.ts'
import { ensureBuilt } from '../../local/tools/build.ts'
import { root, runTool } from '../../local/tools/runTool.ts'
import { createFundedWallet, createPayout, signIn } from '../support/testStack.ts'

/** The first commit of retention, before keyrings and contract sets. */
const commit = process.env.SKEW_COMMIT ?? '367ebd5'

type Migration = { path: string; name: string; sql: string }
type Payout = Awaited<ReturnType<typeof createPayout>>

const work = await mkdtemp(join(tmpdir(), 'bursar-skew-'))
const older = join(work, 'older')
const chains: LocalChain[] = []
try {
  await buildOlder()
  await ensureBuilt('contracts', console.log)
  await ensureBuilt('worker', console.log)
  await sequential()
  await mixedVersions()
} finally {
  await stopChains()
  await rm(work, { recursive: true, force: true })
}

/** Builds the older version with the dependencies of this one: a Worker is bundled with what it imports. */
async function buildOlder(): Promise<void> {
  console.log(`building ${commit} …`)
  mkdirSync(older)
  const archive = join(work, 'older.tar')
  await runTool(['git', 'archive', '--output', archive, commit])
  await runTool(['tar', '-xf', archive, '-C', older])
  renumberMigrations()
  symlinkSync(join(root, 'node_modules'), join(older, 'node_modules'))
  mkdirSync(join(older, 'web/dist'))
  await runTool(['node', join(older, 'local/tools/bundleWorker.ts')])
}

/** Gives the older version's migrations their present numbers, so that they do not run a second time under a new name. */
function renumberMigrations(): void {
  const folders = [root, older].map((tree) => join(tree, 'migrations')) as [string, string]
  const [now, then] = folders.map((folder) =>
    readdirSync(folder).map((name) => ({
      path: join(folder, name),
      name,
      sql: readFileSync(join(folder, name), 'utf8'),
    })),
  ) as [Migration[], Migration[]]
  for (const { path, sql } of then) {
    const same = now.find((each) => each.sql === sql)
    assert(same, `${path} was changed since ${commit}`)
    renameSync(path, join(folders[1], same.name))
  }
}

async function sequential(): Promise<void> {
  const stack = await startChains('sequential', older)
  const first = await stack.serve('the older version', older, older, null)
  assert(first.isCorrect, first.reason)
  await stack.migrate(root)
  const second = await stack.serve('this version on its state', root, root, first.open)
  assert(second.isCorrect, second.reason)
  const back = await stack.serve('the older version after a rollback', older, older, second.open)
  const third = await stack.serve('this version again', root, root, back.open)
  assert(third.isCorrect, third.reason)
  await stopChains()
}

async function mixedVersions(): Promise<void> {
  for (const [what, front, objects] of [
    ['the older Worker with this version’s objects', older, root],
    ['this Worker with the older version’s objects', root, older],
  ] as const) {
    const stack = await startChains(what, root)
    const before = await stack.serve('the objects’ version alone', objects, objects, null)
    assert(before.isCorrect, before.reason)
    const mixed = await stack.serve(what, front, objects, before.open)
    const after = await stack.serve('this version', root, root, mixed.open)
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
      const claimed = await attempt(front, () => claim(bursar, open))
      const ran = await demo(front, url, base.url)
      const made = await attempt(front, () => makePayout(bursar))
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

async function attempt<T>(front: string, action: () => Promise<T>): Promise<{ value: T | null; error: string | null }> {
  try {
    return { value: await action(), error: null }
  } catch (error) {
    return { value: null, error: refusal(front, error instanceof Error ? error.message : String(error)) }
  }
}

/**
 * Anything but a refusal fails the run: a payment or a claim that was accepted and does not arrive would be wrong. The older
 * Worker may return 500, because it can't tell an error that an object's constructor throws from a fault.
 */
function refusal(front: string, text: string): string {
  const words = front === root ? /\b503 service_updating\b/ : /\b(503 service_updating|500 internal)\b/
  assert.match(text, words, `neither correct nor refused: ${text}`)
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
  const { accessToken, passcode } = open
  const { sessionToken } = await bursar.api<VerifyReply>('/escrow/verify-passcode', { body: { accessToken, passcode } })
  const recipientAddress = privateKeyToAddress(generatePrivateKey())
  await bursar.api('/escrow/claim', { body: { accessToken, sessionToken, recipientAddress } })
  await until('the payout to be withdrawn', async () => {
    const { status } = await bursar.api<ClaimPayout>(`/escrow/claim/${accessToken}`)
    return status === 'WITHDRAWN'
  })
}

/** Runs the demo. Returns null if all its books agree, otherwise the refusal. */
async function demo(front: string, url: string, rpc: string): Promise<string | null> {
  const program = [join(root, 'scripts/demo.ts'), '--url', url, '--rpc', rpc]
  const child = spawn(process.execPath, ['--no-warnings', ...program], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code === 0) return null
  assert.doesNotMatch(printed, /\(expected /, `the books do not agree:\n${printed}`)
  return refusal(front, /✕ (.*)/.exec(printed)?.[1] ?? printed)
}
