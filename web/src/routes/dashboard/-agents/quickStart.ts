import { scopeFor } from '#domain/scopes.ts'
import type { PolicyGroup } from '#schemas/policy.ts'

/** Placeholder for an address that the reader fills in. */
const placeholder = '0xRECIPIENT'

/** A recipient that this group may pay, for the examples; a real one if possible. */
export function exampleRecipient(group: PolicyGroup | undefined, ownEmail: string | undefined): Record<string, string> {
  const scopes = group?.scopes ?? []
  const contact = group?.whitelistedContacts.find(({ stale }) => !stale)?.contact
  if (scopes.includes(scopeFor.contact) && contact) return { type: 'contact', contactId: contact.id }
  if (scopes.includes(scopeFor.address)) return { type: 'address', address: placeholder }
  if (scopes.includes(scopeFor.email)) return { type: 'email', email: ownEmail ?? 'name@example.com' }
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
      note: `Set BURSAR_API_KEY to the API key${replace}. The same Idempotency-Key never pays twice.`,
      code: `curl ${origin}/v1/payments \\
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
