import { sameAddress } from '#domain/sameAddress.ts'
import { scopeFor } from '#domain/scopes.ts'
import type { PolicyGroup } from '#schemas/policy.ts'
import type { Wallet } from '#schemas/wallet.ts'

/** Placeholder for an address that the reader fills in. */
const placeholder = '0xRECIPIENT'

/** An address of the user, and in words what is there. */
type OwnAddress = { address: string; whose: string }

/**
 * Where the user can be paid from this wallet for a try: their linked crypto wallet, another wallet here, or the address of the
 * wallet's owner key. Null for an imported wallet alone, which is its owner key.
 */
export function ownAddress(
  wallets: Pick<Wallet, 'id' | 'address' | 'ownerAddress' | 'chain' | 'status'>[],
  walletId: string | undefined,
  linked: string | null | undefined,
): OwnAddress | null {
  const payer = wallets.find(({ id }) => id === walletId)
  if (!payer) return null
  const others = wallets.filter(
    ({ id, chain, status }) => id !== walletId && chain === payer.chain && status === 'active',
  )
  const candidates = [
    { address: linked ?? '', whose: 'your linked crypto wallet' },
    ...others.map(({ address }) => ({ address, whose: 'another of your wallets' })),
    { address: payer.ownerAddress, whose: 'the address of your owner key' },
  ]
  return candidates.find(({ address }) => address !== '' && !sameAddress(address, payer.address)) ?? null
}

type Own = { email: string | undefined; address: OwnAddress | null }

/** A recipient that this group may pay, for the examples; a real one if possible. */
export function exampleRecipient(group: PolicyGroup | undefined, own: Own): Record<string, string> {
  const scopes = group?.scopes ?? []
  const contact = group?.whitelistedContacts.find(({ stale }) => !stale)?.contact
  if (scopes.includes(scopeFor.contact) && contact) return { type: 'contact', contactId: contact.id }
  if (scopes.includes(scopeFor.address)) return { type: 'address', address: own.address?.address ?? placeholder }
  if (scopes.includes(scopeFor.email)) return { type: 'email', email: own.email ?? 'name@example.com' }
  if (scopes.includes(scopeFor.phone)) return { type: 'phone', phone: '+14155550123' }
  return { type: 'address', address: placeholder }
}

type Example = { name: string; note: string; code: string }

/** Example code with the agent's client id; secrets come from the environment. */
export function quickStarts(origin: string, clientId: string, to: Record<string, string>): Example[] {
  const body = { to, amount: '1.00' }
  const replace = Object.values(to).includes(placeholder)
    ? ` and replace ${placeholder} with the recipient’s address`
    : ''
  const payment = `-H "Idempotency-Key: first-payment" \\
  -H "Content-Type: application/json" \\
  -d ${quoted(JSON.stringify(body))}`
  return [
    {
      name: 'curl',
      note: `Paste it into a terminal${replace}: it asks for the API key, without showing it, unless BURSAR_API_KEY is set. The same Idempotency-Key never pays twice.`,
      // One command: lines that follow the reading in a pasted text would be read as the key.
      code: `[ "$BURSAR_API_KEY" ] || { printf 'API key: ' && read -rs BURSAR_API_KEY && echo; } && \\
curl ${origin}/v1/payments \\
  -H "Authorization: Bearer $BURSAR_API_KEY" \\
  ${payment}`,
    },
    {
      name: 'curl (OAuth)',
      note: `Set BURSAR_CLIENT_SECRET to the client secret${replace}. The token is valid for a few minutes.`,
      code: `curl ${origin}/oauth/token -u "${clientId}:$BURSAR_CLIENT_SECRET" -d grant_type=client_credentials

# With the access_token of the reply
curl ${origin}/v1/payments \\
  -H "Authorization: Bearer $BURSAR_TOKEN" \\
  ${payment}`,
    },
    {
      name: 'TypeScript',
      note: `The SDK is not on npm yet: run “npm pack -w sdk” in Bursar’s repository, and “npm i” with the file that it makes. Save this as pay.mjs. Set BURSAR_API_KEY to the API key${replace}. The same idempotencyKey never pays twice.`,
      code: `import { Bursar } from '@bursar/sdk'

const bursar = new Bursar({ url: '${origin}' })
const payment = await bursar.pay({
  to: ${typescript(to)},
  amount: '1.00',
  idempotencyKey: 'first-payment',
  wait: 'sent',
})
console.log(payment.id, payment.status)`,
    },
    ...commandLine(origin, to, replace),
    {
      name: 'MCP',
      note: 'For clients that send a header. Set BURSAR_API_KEY to the API key.',
      code: JSON.stringify(
        {
          mcpServers: {
            bursar: {
              type: 'http',
              url: `${origin}/mcp`,
              headers: { Authorization: `Bearer \${BURSAR_API_KEY}` },
            },
          },
        },
        null,
        2,
      ),
    },
    {
      name: 'MCP (OAuth)',
      note: 'With @modelcontextprotocol/client, which fetches its own tokens.',
      code: `import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client({ name: 'my-agent', version: '1.0.0' })
await client.connect(
  new StreamableHTTPClientTransport(new URL('${origin}/mcp'), {
    authProvider: new ClientCredentialsProvider({
      clientId: '${clientId}',
      clientSecret: process.env.BURSAR_CLIENT_SECRET,
      expectedIssuer: '${origin}',
    }),
  }),
)
const context = await client.callTool({ name: 'get_payment_context', arguments: {} })
console.log(context.structuredContent)`,
    },
  ]
}

/** As one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Contacts have no form that the command line takes. */
function commandLine(origin: string, { address, email, phone }: Record<string, string>, replace: string): Example[] {
  const to = address ?? email ?? phone
  if (to === undefined) return []
  return [
    {
      name: 'Command line',
      note: `With the SDK installed. Set BURSAR_API_KEY to the API key${replace}. The same --key never pays twice.`,
      code: `export BURSAR_URL=${origin}
npx --no bursar pay ${quoted(to)} 1.00 --key first-payment`,
    },
  ]
}

/** {"to":{"type":"email"}} → { to: { type: 'email' } } */
const typescript = (value: Record<string, unknown> | string): string =>
  typeof value === 'string'
    ? `'${value.replaceAll("'", "\\'")}'`
    : `{ ${Object.entries(value)
        .map(([key, entry]) => `${key}: ${typescript(entry as Record<string, unknown> | string)}`)
        .join(', ')} }`
