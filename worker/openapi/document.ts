import { z } from 'zod'
import { commonHeaders, headers, type Json, parameters, ref, schemas } from './components.ts'
import { type Operation, operations } from './operations.ts'
import { introduction, scopeWords } from './words.ts'

export type OpenApi = {
  openapi: '3.1.0'
  info: Json
  tags: { name: Operation['tag']; description: string }[]
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, Json>; [part: string]: Json }
  [part: string]: unknown
}

type OperationObject = Json & { operationId: string; tags: Operation['tag'][]; summary: string; description: string }

const documents = new Map<string, OpenApi>()

/** OpenAPI 3.1 of what agents call, made once from the schemas that check the requests. `origin` without a slash. */
export function openApi(origin: string): OpenApi {
  const document = documents.get(origin) ?? made(origin)
  documents.set(origin, document)
  return document
}

function made(origin: string): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: operationObject(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bursar for agents',
      version: '1.0.0',
      summary: 'Pay in USDC on Base, within a budget.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    tags: [
      { name: 'Payments', description: 'Under the rules of the agent’s policy group.' },
      { name: 'Access tokens', description: 'OAuth 2.1 client credentials.' },
    ],
    paths,
    components: {
      schemas: schemas(),
      parameters,
      headers,
      responses: responses(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'bk_…', description: 'The agent’s API key.' },
        oauth2: {
          type: 'oauth2',
          flows: {
            clientCredentials: { tokenUrl: `${origin}/oauth/token`, scopes: scopeWords },
          },
        },
        client: { type: 'http', scheme: 'basic', description: 'Client id and secret, each form-urlencoded.' },
      },
    },
  }
}

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Names of responses by status: what every call may answer, and the operation's own. */
function refusalsOf({ access, refusals }: Operation): Record<string, string> {
  const isOAuth = access === 'client'
  const statuses = isOAuth ? [400, 401, 413, 429, 500] : [...refusals, 401, 429, 500, 503].sort((a, b) => a - b)
  return Object.fromEntries(statuses.map((status) => [status, `${isOAuth ? 'OAuth' : 'Problem'}${status}`]))
}

function operationObject(operation: Operation): OperationObject {
  const { id, tag, summary, description, access, body, answer } = operation
  const isOAuth = access === 'client'
  const inPath = operation.path.includes('{paymentId}')
  const parameterList = [
    ...(inPath ? [{ $ref: '#/components/parameters/PaymentId' }] : []),
    ...(operation.needsKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.query ? queryParameters(operation.query) : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    // One of the scopes is enough; in the body or the header is enough.
    security: isOAuth ? [{ client: [] }, {}] : [{ apiKey: [] }, ...access.map((scope) => ({ oauth2: [scope] }))],
    ...(parameterList.length > 0 && { parameters: parameterList }),
    ...(body && { requestBody: requestBody(body) }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: headerRefs([...(isOAuth ? [] : commonHeaders), ...(answer.headers ?? [])]),
        ...(answer.schema && { content: { 'application/json': { schema: ref(answer.schema) } } }),
      },
      ...Object.fromEntries(
        Object.entries(refusalsOf(operation)).map(([status, name]) => [
          status,
          { $ref: `#/components/responses/${name}` },
        ]),
      ),
    },
  }
}

function queryParameters(query: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}

const payExamples = {
  address: {
    summary: 'To an address',
    value: {
      to: { type: 'address', address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' },
      amount: '12.5',
      memo: 'Invoice 1142',
    },
  },
  contact: { summary: 'To a contact', value: { to: { type: 'contact', contactId: 'contact_1' }, amount: '3' } },
  email: { summary: 'By email', value: { to: { type: 'email', email: 'ada@example.com' }, amount: '25' } },
}

function requestBody(body: NonNullable<Operation['body']>): Json {
  const content =
    body === 'CreatePayment'
      ? { 'application/json': { schema: ref(body), examples: payExamples } }
      : { 'application/x-www-form-urlencoded': { schema: ref(body) } }
  return { required: true, content }
}

const statusWords: Record<number, string> = {
  400: 'The request is malformed.',
  401: 'No credential, or none that is good here.',
  403: 'A rule of the policy group says no.',
  404: 'Not found.',
  409: 'Too late for this.',
  413: 'Larger than 64 kB.',
  422: 'It cannot be done: balance, session key, wallet, or a key used for another payment.',
  429: 'Too many requests.',
  500: 'Something went wrong; repeat it with the same Idempotency-Key.',
  502: 'The Base network cannot be reached; repeat it with the same Idempotency-Key.',
  503: 'Not now; repeat it with the same Idempotency-Key.',
}

function responses(): Json {
  const named = (name: string, schema: 'Problem' | 'OAuthError', type: string) =>
    Object.entries(statusWords).map(([status, description]) => [
      `${name}${status}`,
      {
        description,
        headers: headerRefs([
          ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
          ...(['401', '403'].includes(status) ? ['WWW-Authenticate'] : []),
        ]),
        content: { [type]: { schema: ref(schema) } },
      },
    ])
  const used = new Set(operations.flatMap((operation) => Object.values(refusalsOf(operation))))
  return Object.fromEntries(
    [
      ...named('Problem', 'Problem', 'application/problem+json'),
      ...named('OAuth', 'OAuthError', 'application/json'),
    ].filter(([name]) => used.has(name as string)),
  )
}
