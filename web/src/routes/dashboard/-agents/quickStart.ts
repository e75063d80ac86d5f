import type { PolicyGroup } from '../../../../../worker/schemas/policy.ts'

/** In place of an address that nobody but the reader knows. */
const placeholder = '0xRECIPIENT'

/** A recipient that this group may pay, for examples: somebody real where there is somebody. */
export function exampleRecipient(group: PolicyGroup | undefined, ownEmail: string | undefined): Record<string, string> {
  const scopes = group?.scopes ?? []
  const contact = group?.whitelistedContacts.find(({ stale }) => !stale)?.contact
  if (scopes.includes('contact_payments:write') && contact) return { type: 'contact', contactId: contact.id }
  if (scopes.includes('address_payments:write')) return { type: 'address', address: placeholder }
  if (scopes.includes('email_payments:write')) return { type: 'email', email: ownEmail ?? 'name@example.com' }
  if (scopes.includes('sms_payments:write')) return { type: 'phone', phone: '+14155550123' }
  return { type: 'address', address: placeholder }
}

type Example = { name: string; note: string; code: string }

/** First calls with the agent's client id in place; what is secret comes from the environment. */
export function quickStarts(origin: string, clientId: string, to: Record<string, string>): Example[] {
  const body = { to, amount: '1.00' }
  const replace = Object.values(to).includes(placeholder) ? `; put the recipient’s address for ${placeholder}` : ''
  return [
    {
      name: 'curl',
      note: `Put the client secret into BURSAR_CLIENT_SECRET${replace}. The API key works in place of the token.`,
      code: `: "\${BURSAR_CLIENT_SECRET:?First: export BURSAR_CLIENT_SECRET=the client secret}"

# A token, good for a few minutes
TOKEN=$(curl -s ${origin}/oauth/token \\
  -u "${clientId}:$BURSAR_CLIENT_SECRET" \\
  -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

# What it may spend
curl -s ${origin}/v1/context -H "Authorization: Bearer $TOKEN"; echo

# Pay; the same Idempotency-Key never pays twice
curl -s ${origin}/v1/payments \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: first-payment" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
    },
    {
      name: 'TypeScript',
      note: `Needs nothing but fetch. Put the client secret into BURSAR_CLIENT_SECRET${replace}.`,
      code: `const bursar = '${origin}'
const basic = btoa('${clientId}:' + process.env.BURSAR_CLIENT_SECRET)

const { access_token } = await fetch(bursar + '/oauth/token', {
  method: 'POST',
  headers: { Authorization: 'Basic ' + basic },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
}).then((reply) => reply.json())

const reply = await fetch(bursar + '/v1/payments', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ' + access_token,
    'Content-Type': 'application/json',
    // Made once per payment and kept for retries: the same key never pays twice.
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify(${typescript(body)}),
})
const payment = await reply.json()
if (!reply.ok) throw new Error(payment.code + ': ' + payment.detail + ' ' + payment.next)
console.log(payment.id, payment.status)`,
    },
    {
      name: 'MCP',
      note: 'For clients that send a header. Put the API key into BURSAR_API_KEY.',
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

/** {"to":{"type":"email"}} → { to: { type: 'email' } } */
const typescript = (value: Record<string, unknown> | string): string =>
  typeof value === 'string'
    ? `'${value.replaceAll("'", "\\'")}'`
    : `{ ${Object.entries(value)
        .map(([key, entry]) => `${key}: ${typescript(entry as Record<string, unknown> | string)}`)
        .join(', ')} }`
