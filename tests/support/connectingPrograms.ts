/** Other unmodified clients that are given the URL only: an OAuth library, and the programs that connect assistants. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientPath, importClient } from './clients.ts'
import { type ConnectingClient, startListener } from './connectingClient.ts'

/** openid-client, which calls the REST API with the code flow's token. Needs installClients(). */
export async function openidClient(url: string, name: string): Promise<ConnectingClient> {
  const openid = await importClient('openid-client/build/index.js')
  const listener = await startListener()
  const metadata = { client_name: name, redirect_uris: [listener.url], token_endpoint_auth_method: 'none' }
  const config = await openid.dynamicClientRegistration(new URL(url), metadata, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  const resource = `${url}/v1`
  let checks: { pkceCodeVerifier: string; expectedState: string }
  let returned: Promise<URLSearchParams>
  // biome-ignore lint/suspicious/noExplicitAny: an untyped package, see importClient
  let tokens: any
  return {
    async begin() {
      returned = listener.next()
      checks = { pkceCodeVerifier: openid.randomPKCECodeVerifier(), expectedState: openid.randomState() }
      const code_challenge = await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier)
      const asked = { redirect_uri: listener.url, state: checks.expectedState, resource }
      const to = openid.buildAuthorizationUrl(config, { ...asked, code_challenge, code_challenge_method: 'S256' })
      return String(to)
    },
    async finish() {
      tokens = await openid.authorizationCodeGrant(config, new URL(`${listener.url}?${await returned}`), checks)
    },
    async pay(address, amount) {
      const body = JSON.stringify({ to: { type: 'address', address }, amount })
      const headers = new Headers({ 'content-type': 'application/json', 'idempotency-key': randomUUID() })
      const to = new URL(`${resource}/payments`)
      const reply = await openid.fetchProtectedResource(config, tokens.access_token, to, 'POST', body, headers)
      return reply.json()
    },
    tokens: () => tokens,
    clientId: () => config.clientMetadata().client_id,
    async close() {
      await listener.stop()
    },
  }
}

/** A folder that stands for a person's home, and what the programs store in it. */
function createHome() {
  const home = mkdtempSync(join(tmpdir(), 'bursar-assistant-'))
  return {
    home,
    /** `BROWSER`: the test opens the page itself. */
    env: { HOME: home, PATH: process.env.PATH!, BROWSER: 'true' },
    /** The JSON of the stored file whose name ends with this. */
    stored(end: string) {
      const name = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((each) => each.endsWith(end))
      if (!name) throw new Error(`nothing was stored as ${end}`)
      return JSON.parse(readFileSync(join(home, name), 'utf8'))
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Starts mcp-remote in a home. Needs both folders of installClients(). */
async function startMcpRemote(url: string, { home, env }: Pick<ReturnType<typeof createHome>, 'home' | 'env'>) {
  const path = '@modelcontextprotocol/sdk/dist/esm/client'
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    importClient(`${path}/index.js`),
    importClient(`${path}/stdio.js`),
  ])
  const args = [clientPath('mcp-remote/dist/proxy.js', 'assistants'), `${url}/mcp`]
  const transport = new StdioClientTransport({ command: process.execPath, args, env, cwd: home, stderr: 'pipe' })
  const asked = askedBy({ stdout: null, stderr: transport.stderr })
  const client = new Client({ name: 'Assistant', version: '1.0.0' })
  const connected: Promise<unknown> = client.connect(transport)
  connected.catch(() => undefined) // the caller reports it
  return { client, connected, asked }
}

/** Another mcp-remote with a copy of what the first one, which was allowed, has stored. */
export async function copyOfMcpRemote(url: string, from: string) {
  const copy = createHome()
  cpSync(from, copy.home, { recursive: true })
  const { client, connected, asked } = await startMcpRemote(url, copy)
  asked.catch(() => undefined) // it ends without having asked
  await connected
  const asksAgain = asked.then((to) => Promise.reject(new Error(`the program asks again: ${to}`)))
  asksAgain.catch(() => undefined)
  return {
    async call(): Promise<void> {
      const { isError } = await Promise.race([
        client.callTool({ name: 'get_payment_context', arguments: {} }),
        asksAgain,
      ])
      if (isError) throw new Error('the call was refused')
    },
    async stop() {
      await client.close()
      copy.remove()
    },
  }
}

const authorizationUrl = /https?:\/\/\S+?\/oauth\/authorize\?[^\s"]+/

/** The address at which a program asks for consent, once it writes it. Rejects if the program ends first. */
function askedBy(child: Pick<ChildProcess, 'stdout' | 'stderr'> & { once?: ChildProcess['once'] }): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk
        const found = authorizationUrl.exec(output)?.[0]
        if (found) resolve(found)
      })
    child.once?.('exit', () => reject(new Error(`the program did not ask for a browser: ${output}`)))
  })
}

/** mcp-remote, which an assistant starts and talks to over its standard streams. Needs both folders of installClients(). */
export async function mcpRemote(url: string): Promise<ConnectingClient & { home: string }> {
  const { home, env, stored, remove } = createHome()
  let program: Awaited<ReturnType<typeof startMcpRemote>> | undefined
  let asksAgain: Promise<string>
  return {
    home,
    async begin() {
      await program?.client.close()
      program = await startMcpRemote(url, { home, env })
      return program.asked
    },
    async finish() {
      await program!.connected
      asksAgain = askedBy({ stdout: null, stderr: program!.client.transport.stderr })
    },
    async pay(address, amount) {
      const args = { address, amount, idempotency_key: randomUUID() }
      const refused = asksAgain.then((to) => Promise.reject(new Error(`the program asks again: ${to}`)))
      const call = program!.client.callTool({ name: 'pay_address', arguments: args })
      call.catch(() => undefined) // as when the program asks again
      refused.catch(() => undefined)
      return (await Promise.race([call, refused])).structuredContent
    },
    tokens: () => stored('_tokens.json'),
    clientId: () => stored('_client_info.json').client_id,
    async close() {
      await program?.client.close()
      remove()
    },
  }
}

/** mcporter, a command that is run for each call. Needs installClients('assistants'). */
export function mcporter(url: string): ConnectingClient {
  const { home, env, stored, remove } = createHome()
  const server = ['--http-url', `${url}/mcp`, '--allow-http', '--name', 'bursar']
  const run = (...args: string[]) =>
    spawn(process.execPath, [clientPath('mcporter/dist/cli.js', 'assistants'), ...args], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  // biome-ignore lint/suspicious/noExplicitAny: the program's own file
  const entry = (): any => Object.values(stored('credentials.json').entries)[0]
  let login: ChildProcess | undefined
  let ended: Promise<unknown[]>
  return {
    begin() {
      login = run('auth', ...server, '--no-browser')
      ended = once(login, 'exit')
      return askedBy(login)
    },
    async finish() {
      const [code] = await ended
      if (code !== 0) throw new Error(`mcporter auth ended with ${code}`)
    },
    async pay(address, amount) {
      const args = JSON.stringify({ address, amount, idempotency_key: randomUUID() })
      const call = run('call', ...server, 'bursar.pay_address', '--args', args, '--output', 'json', '--no-oauth')
      let output = ''
      for (const stream of [call.stdout, call.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk
        })
      await once(call, 'close')
      const result = /\{[\s\S]*\}/.exec(output)?.[0]
      const content = result && JSON.parse(result)
      if (!content || 'issue' in content) throw new Error(`mcporter call: ${output}`)
      return content
    },
    tokens: () => entry().tokens,
    clientId: () => entry().clientInfo.client_id,
    async close() {
      login?.kill()
      remove()
    },
  }
}
