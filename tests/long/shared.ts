/**
 * `npm run test:long shared`: unmodified clients are given the URL only. Five programs of each keep a copy of its tokens in memory,
 * and renew them by turns for a day; all are connected all the time, and the owner's bell rings.
 *
 *   ROUNDS=192   two days: then the programs whose token was spent on the first day are told to ask again
 *
 * Test id: @connect-36
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LoginReply } from '#schemas/account.ts'
import type { Connection } from '#schemas/connection.ts'
import type { NoticeList } from '#schemas/notice.ts'
import { installClients } from '../support/clients.ts'
import { type ConnectingClient, connectingClient } from '../support/connectingClient.ts'
import { copyOfMcpRemote, mcpRemote, openidClient } from '../support/connectingPrograms.ts'
import { consentByApi } from '../support/consent.ts'
import { addressFor, createSender } from '../support/stackClient.ts'
import { createTestStack } from '../support/testStack.ts'
import type { Copy } from './shared/program.ts'
import { asForm, assertionOf, redirectUri, startAppWebsite } from './shared/signedApp.ts'

const copies = 5
/** A little longer than an access token lives. */
const roundMs = 15 * 60_000 + 5_000
const rounds = Number(process.env.ROUNDS ?? 95)

await installClients()
await installClients('assistants')
const stack = await createTestStack({ entry: 'tests/long/shared/clockWorker.ts' })
const { bursar, url } = stack
const sender = await createSender(stack, { funds: '50', limit: 20 })

type Program = { call(): Promise<void>; stop(): Promise<void> }

/** Lets the person allow the client, makes a payment with it, and returns what it keeps. */
async function allowed<Client extends ConnectingClient>(client: Client) {
  const redirect = await consentByApi(bursar, sender, new URL(await client.begin()))
  await fetch(redirect)
  await client.finish()
  assert.equal((await client.pay(addressFor(redirect.href), '1')).amount, '1')
  return { clientId: client.clientId(), tokens: client.tokens() }
}

const ofProgram = async (copy: Copy): Promise<Program> => {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'shared/program.ts'), JSON.stringify(copy)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    async call() {
      child.stdin!.write('\n')
      const { value, done } = await lines.next()
      const reply = done ? { error: 'the program has ended' } : JSON.parse(value)
      if (!reply.ok) throw new Error(reply.error)
    },
    async stop() {
      const ended = once(child, 'exit')
      child.stdin!.end()
      await ended
    },
  }
}

const times = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: copies }, make))

async function reportedTokens(clientId: string, privateKey: Copy['privateKey']) {
  const verifier = randomBytes(32).toString('base64url')
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, code_challenge_method: 'S256' },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), scope: 'openid offline_access' },
    resource: `${url.toUpperCase()}/mcp/`,
  }
  const redirect = await consentByApi(bursar, sender, new URL(`${url}/oauth/authorize?${new URLSearchParams(query)}`))
  const code = redirect.searchParams.get('code')!
  const assertion = await assertionOf(url, clientId, privateKey!)
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...assertion,
  }
  const reply = await fetch(`${url}/oauth/token`, asForm(form))
  assert.equal(reply.status, 200, await reply.clone().text())
  return (await reply.json()) as Copy['tokens']
}

const website = await startAppWebsite()
const remote = await mcpRemote(url)
await allowed(remote)
const programs: Record<string, Program[]> = {
  'mcp-remote': await times(() => copyOfMcpRemote(url, remote.home)),
}
const others: Record<'client' | 'sdk' | 'openid-client', Promise<ConnectingClient>> = {
  client: connectingClient(url, 'Client 2'),
  sdk: connectingClient(url, 'Client 1', 'sdk'),
  'openid-client': openidClient(url, 'Openid client'),
}
for (const [kind, client] of Object.entries(others)) {
  const kept = await allowed(await client)
  programs[kind] = await times(() => ofProgram({ kind: kind as Copy['kind'], url, ...kept }))
}
const { clientId, privateKey } = website
const tokens = await reportedTokens(clientId, privateKey)
programs.reported = await times(() => ofProgram({ kind: 'reported', url, clientId, privateKey, tokens }))

/** Each copy calls once, after its access token has expired, at a time of its own. */
const failures = new Map<string, number>()
const startedAt = Date.now()
for (let round = 0; round < rounds; round++) {
  for (let i = 0; i < copies; i++) {
    await fetch(`${url}/dev/ahead`, { method: 'POST', body: JSON.stringify({ ms: roundMs / copies }) })
    await Promise.all(
      Object.entries(programs).map(async ([kind, all]) => {
        await all[i]!.call().catch((error: unknown) => {
          const which = `${kind} ${i + 1}`
          if (!failures.has(which)) console.log(`${which} in round ${round + 1}: ${error}`)
          failures.set(which, failures.get(which) ?? round)
        })
      }),
    )
  }
}
console.log(`${rounds} rounds in ${Math.round((Date.now() - startedAt) / 1000)} s`)
const perDay = Math.floor((24 * 60 * 60_000) / roundMs)
const early = [...failures].filter(([, round]) => round < perDay)
assert.deepEqual(early, [], 'every copy is connected for a day')
for (const kind of Object.keys(programs)) assert(!failures.has(`${kind} 1`), `${kind}: the newest token goes on`)

const body = { email: sender.email, password: sender.password }
const session = (await bursar.api<LoginReply>('/auth/cognito/login', { body })) as { accessToken: string }
const as = { token: session.accessToken }
const connections = await bursar.api<Connection[]>('/connections', as)
assert.equal(connections.length, Object.keys(programs).length)
const { notices } = await bursar.api<NoticeList>('/notices', as)
for (const { id, app } of connections)
  assert(
    notices.some(({ event, subject }) => event === 'connection.token_reused' && subject?.id === id),
    `the bell rings for ${app.name}`,
  )
console.log(
  `${connections.length} connections, ${copies} programs each: all connected for a day; the bell rang for each`,
)

for (const program of Object.values(programs).flat()) await program.stop()
await remote.close()
for (const client of Object.values(others)) await (await client).close()
website.stop()
await stack.stop()
