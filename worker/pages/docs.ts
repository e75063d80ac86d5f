import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../appEnv.ts'
import { statusOf } from '../errors.ts'
import type { Json } from '../openapi/components.ts'
import { errorDescriptions, introduction, scopeDescriptions } from '../openapi/descriptions.ts'
import { type OpenApi, openApi } from '../openapi/document.ts'
import { webhooksTag } from '../openapi/webhooks.ts'
import { type Html, page } from './layout.ts'

/** /docs: /openapi.json for people. The `type` of every problem links here. No script and no external resources. */
export function docsPage(c: Context<AppEnv>) {
  const document = openApi(c.env.API_ORIGIN)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return page(c, 'Bursar for agents', [
    html`<p class="muted">For programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>`,
    html`<nav aria-label="Contents"><ul>
<li><a href="#start">First payment</a></li>
${operations.map(({ path, method, operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a> <span class="muted">${method} ${path}</span></li>`)}
<li><a href="#webhooks">Webhooks</a></li><li><a href="#scopes">Scopes</a></li><li><a href="#errors">Errors</a></li>
</ul></nav>`,
    ...introduction.split('\n\n').map((paragraph) => html`<p>${marked(paragraph)}</p>`),
    start(c.env.API_ORIGIN),
    ...document.tags
      .filter(({ name }) => name !== webhooksTag.name)
      .flatMap(({ name, description }) => [
        html`<h2>${name}</h2><p>${description}</p>`,
        ...operations.filter(({ operation }) => operation.tags[0] === name).map((each) => section(document, each)),
      ]),
    webhooks(document),
    scopes(),
    errors(),
  ])
}

const start = (origin: string) => html`<h2 id="start">First payment</h2>
<p>Set <code>BURSAR_API_KEY</code> to the API key of an agent, from the page Agents of the dashboard. The SDK and its command line, which are in Bursar’s repository, also need <code>BURSAR_URL=${origin}</code>; <code>bursar login</code> works without a key. Then check the payment, and create it:</p>
${code(`curl ${origin}/v1/payments/check \\
  -H "Authorization: Bearer $BURSAR_API_KEY" -H "Content-Type: application/json" \\
  -d '{"to": {"type": "address", "address": "0x8ba1f109551bD432803012645Ac136ddd64DBA72"}, "amount": "1.50"}'

curl ${origin}/v1/payments \\
  -H "Authorization: Bearer $BURSAR_API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: first-payment-by-curl" \\
  -d '{"to": {"type": "address", "address": "0x8ba1f109551bD432803012645Ac136ddd64DBA72"}, "amount": "1.50"}'`)}
<p>Or with an access token, which standard OAuth clients request with the client id and secret:</p>
${code(`curl ${origin}/oauth/token -u "$BURSAR_CLIENT_ID:$BURSAR_CLIENT_SECRET" -d grant_type=client_credentials`)}`

const webhooks = (document: OpenApi) => html`<h2 id="webhooks">Webhooks</h2>
<p>${marked(webhooksTag.description)}</p>
<p>Verify every request with a Standard Webhooks library and the webhook’s secret, using the raw body:</p>
${code(`import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  const { type, data } = webhook.verify(body, request.headers) // throws if it is not from Bursar
  console.log(type, data.id, data.status)
  response.end()
}).listen(9000)`)}
${table(
  ['Event', 'Sent when'],
  Object.entries(document.webhooks).map(([name, { post }]) => [
    html`<code id="event-${name}">${name}</code>`,
    post.description as string,
  ]),
)}
<p>The body has <code>type</code>, <code>timestamp</code> and <code>data</code>: the payment as <code>GET /v1/payments/{paymentId}</code> shows it, with <code>agent_id</code>, <code>previous_status</code> and <code>seq</code>. <code>payment.undone</code> revokes an earlier event: its block left the chain before it was final. Events never contain links or codes of payouts.</p>
${code(JSON.stringify(document.webhooks['payment.confirmed']!.post.requestBody.content['application/json'].example, null, 2))}`

const scopes = () => html`<h2 id="scopes">Scopes</h2>
${table(
  ['Scope', 'Allows'],
  Object.entries(scopeDescriptions).map(([scope, description]) => [html`<code>${scope}</code>`, description]),
)}`

const errors = () => html`<h2 id="errors">Errors</h2>
<p>Codes of the problems that <code>/v1</code> returns.</p>
${table(
  ['Code', 'Status', 'Meaning'],
  Object.entries(errorDescriptions).map(([name, description]) => [
    html`<code id="error-${name}">${name}</code>`,
    String(statusOf[name as keyof typeof errorDescriptions]),
    html`${marked(description)}`,
  ]),
)}`

type Schema = {
  $ref?: string
  type?: string | string[]
  title?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  required?: string[]
  properties?: Record<string, Schema>
}

type Described = { path: string; method: string; operation: OpenApi['paths'][string][string] }

function section(document: OpenApi, { path, method, operation }: Described) {
  const resolve = <T>(value: unknown): T => {
    const { $ref } = value as { $ref?: string }
    return (
      $ref
        ? $ref
            .slice(2)
            .split('/')
            .reduce<unknown>((part, name) => (part as Json)[name], document)
        : value
    ) as T
  }
  const rows = (schema: Schema, prefix = ''): Html[][] => fields(schema, resolve, prefix)
  const parameters = ((operation.parameters ?? []) as unknown[]).map((each) => resolve<Json>(each))
  const body = operation.requestBody as { content: Record<string, { schema: unknown }> } | undefined
  const [type, content] = Object.entries(body?.content ?? {})[0] ?? []
  const responses = Object.entries(operation.responses as Json).map(([status, response]) => ({
    status,
    ...resolve<{ description: string; content?: Record<string, { schema: unknown }> }>(response),
  }))
  const successes = responses.filter(({ status }) => Number(status) < 400)
  const errors = responses.filter(({ status }) => Number(status) >= 400)
  const [success] = successes
  const returned = Object.values(success?.content ?? {})[0]?.schema
  return html`<section class="card" id="${operation.operationId}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p><strong>${operation.summary}</strong> · ${operation.description}</p>
<p class="muted">${access(operation)}</p>
${operation['x-codeSamples'].map(({ label, source }) => html`<h4>${label}</h4>${code(source)}`)}
${
  parameters.length > 0
    ? html`<h4>Parameters</h4>${table(
        ['Name', 'Description'],
        parameters.map((each) => [
          html`<code>${each.name as string}</code> ${each.required ? html`<span class="muted">required, ${each.in as string}</span>` : html`<span class="muted">${each.in as string}</span>`}`,
          html`${each.description as string} ${constraints(each.schema as Schema)}`,
        ]),
      )}`
    : ''
}
${content ? html`<h4>Body, <code>${type}</code></h4>${table(['Field', 'Description'], rows(resolve(content.schema)))}` : ''}
${successes.map(({ status, description }) => html`<h4>${status}: ${marked(description)}</h4>`)}
${returned ? table(['Field', 'Description'], rows(resolve(returned))) : ''}
<h4>Errors</h4>
${table(
  ['Status', 'Meaning'],
  errors.map(({ status, description }) => [status, description]),
)}
</section>`
}

function access(operation: Json): string {
  const scopes = (operation.security as Record<string, string[]>[]).flatMap(({ oauth2 }) => oauth2 ?? [])
  if (scopes.length === 0) return 'With the client id and secret.'
  if (scopes.length === 1) return `With an API key, or an access token with ${scopes[0]}.`
  return 'With an API key, or an access token with the scope for the kind of recipient.'
}

/** One row per field. Nested fields are shown with their path. */
function fields(schema: Schema, resolve: <T>(value: unknown) => T, prefix: string): Html[][] {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants && !schema.properties)
    return variants
      .map((variant) => resolve<Schema>(variant))
      .flatMap((variant) => [
        ...(variant.title
          ? [[html`<code>${prefix.slice(0, -1)}</code>`, html`<strong>${variant.title}</strong>`]]
          : []),
        ...fields(variant, resolve, prefix),
      ])
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const field = { ...resolve<Schema>(given), ...(given.description && { description: given.description }) }
    const path = `${prefix}${name}`
    const required = schema.required?.includes(name)
    const row = [
      html`<code>${path}</code>${required ? '' : html` <span class="muted">optional</span>`}`,
      html`${field.description ?? field.title ?? ''} ${constraints(field)}`,
    ]
    const inner = [field, ...(field.anyOf ?? []).map((variant) => resolve<Schema>(variant))]
    const nested = inner.flatMap((each) =>
      each.items
        ? fields(resolve(each.items), resolve, `${path}[].`)
        : fields(withoutVariants(each), resolve, `${path}.`),
    )
    return [row, ...nested]
  })
}

/** The variants of a nullable field are listed separately. */
const withoutVariants = ({ anyOf: _, ...schema }: Schema): Schema => schema

function constraints(schema: Schema): Html {
  const variants = (schema.anyOf ?? [schema]).map(({ type }) => type).filter(Boolean)
  const parts = [
    variants.join(' or '),
    schema.const !== undefined && `always ${JSON.stringify(schema.const)}`,
    schema.enum && `one of ${schema.enum.join(', ')}`,
    schema.minimum !== undefined && schema.minimum > Number.MIN_SAFE_INTEGER && `from ${schema.minimum}`,
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER && `to ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
    schema.examples?.length && `such as ${JSON.stringify(schema.examples[0])}`,
  ]
  return html`<span class="muted">${parts.filter(Boolean).join(', ')}</span>`
}

function table(head: string[], rows: (Html | string)[][]): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}

const code = (text: string) => html`<pre tabindex="0"><code>${text}</code></pre>`

/** Renders **bold** and `code`. */
const marked = (text: string): Html[] =>
  text
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/)
    .map((part) =>
      part.startsWith('**')
        ? html`<strong>${part.slice(2, -2)}</strong>`
        : part.startsWith('`')
          ? html`<code>${part.slice(1, -1)}</code>`
          : html`${part}`,
    )
