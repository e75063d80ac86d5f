import { z } from 'zod'
import { type CodeSample, codeSamples, jsonExamples } from './codeSamples.ts'
import { commonHeaders, headers, type Json, parameters, ref, schemas } from './components.ts'
import { introduction, scopeDescriptions } from './descriptions.ts'
import { type Operation, operations, type RequestName } from './operations.ts'
import { type WebhookOperation, webhooks, webhooksTag } from './webhooks.ts'

export type OpenApi = {
  openapi: '3.1.0'
  info: Json
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: WebhookOperation }>
  components: { schemas: Record<string, Json>; [part: string]: Json }
  [part: string]: unknown
}

type OperationObject = Json & {
  operationId: string
  tags: Operation['tag'][]
  summary: string
  description: string
  /** Known to Redoc and other renderers under this name. */
  'x-codeSamples': CodeSample[]
}

const documents = new Map<string, OpenApi>()

/** OpenAPI 3.1 of the agent API, built once from the schemas that validate requests. `origin` has no trailing slash. */
export function openApi(origin: string): OpenApi {
  const document = documents.get(origin) ?? build(origin)
  documents.set(origin, document)
  return document
}

function build(origin: string): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: operationObject(operation, origin) }
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
      { name: 'Payments', description: 'Payments under the rules of the agent’s policy group.' },
      { name: 'Access tokens', description: 'OAuth 2.1 client credentials.' },
      webhooksTag,
    ],
    paths,
    webhooks: webhooks(origin),
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
            clientCredentials: { tokenUrl: `${origin}/oauth/token`, scopes: scopeDescriptions },
          },
        },
        client: { type: 'http', scheme: 'basic', description: 'Client id and secret, each form-urlencoded.' },
      },
    },
  }
}

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Names of the error responses by status: those common to all operations, and the operation's own. */
function errorsOf({ access, errors }: Operation): Record<string, string> {
  const isOAuth = access === 'client'
  const statuses = isOAuth ? [400, 401, 413, 429, 500] : [...errors, 401, 429, 500, 503].sort((a, b) => a - b)
  return Object.fromEntries(statuses.map((status) => [status, `${isOAuth ? 'OAuth' : 'Problem'}${status}`]))
}

function operationObject(operation: Operation, origin: string): OperationObject {
  const { id, tag, summary, description, access, body, success } = operation
  const isOAuth = access === 'client'
  const parameterList = [
    ...(operation.path.includes('{paymentId}') ? [{ $ref: '#/components/parameters/PaymentId' }] : []),
    ...(operation.path.includes('{requestId}') ? [{ $ref: '#/components/parameters/RequestId' }] : []),
    ...(operation.path.includes('{runId}') ? [{ $ref: '#/components/parameters/RunId' }] : []),
    ...(operation.needsKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(operation.query ? queryParameters(operation.query) : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    // Alternatives: any one scope suffices, and client credentials may be in the body instead of the header.
    security: isOAuth ? [{ client: [] }, {}] : [{ apiKey: [] }, ...access.map((scope) => ({ oauth2: [scope] }))],
    ...(parameterList.length > 0 && { parameters: parameterList }),
    ...(body && { requestBody: requestBody(body) }),
    'x-codeSamples': codeSamples(operation, origin),
    responses: {
      ...Object.fromEntries(
        [success, operation.orElse].flatMap((each) => (each ? [[each.status, successObject(each, isOAuth)]] : [])),
      ),
      ...Object.fromEntries(
        Object.entries(errorsOf(operation)).map(([status, name]) => [
          status,
          { $ref: `#/components/responses/${name}` },
        ]),
      ),
    },
  }
}

const successObject = ({ description, headers = [], schema }: Operation['success'], isOAuth: boolean): Json => ({
  description,
  headers: headerRefs([...(isOAuth ? [] : commonHeaders), ...headers]),
  ...(schema && { content: { 'application/json': { schema: ref(schema) } } }),
})

function queryParameters(query: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json
    return { name, in: 'query', required: required.includes(name), description, schema }
  })
}

function requestBody(body: RequestName): Json {
  const examples = jsonExamples[body]
  const content = examples
    ? { 'application/json': { schema: ref(body), examples } }
    : { 'application/x-www-form-urlencoded': { schema: ref(body) } }
  return { required: true, content }
}

const statusDescriptions: Record<number, string> = {
  400: 'Malformed request.',
  401: 'Missing or invalid credentials.',
  403: 'Refused by a rule of the policy group.',
  404: 'Not found.',
  409: 'The payment is already signed or final.',
  410: 'The approval expired or was cancelled.',
  413: 'The request is larger than 64 kB.',
  422: 'Cannot be carried out: balance, session key, wallet, or an Idempotency-Key used for a different payment.',
  429: 'Too many requests.',
  500: 'Something went wrong. Repeat the request with the same Idempotency-Key.',
  502: 'The Base network is unreachable. Repeat the request with the same Idempotency-Key.',
  503: 'Temporarily unavailable. Repeat the request with the same Idempotency-Key.',
}

function responses(): Json {
  const named = (name: string, schema: 'Problem' | 'OAuthError', type: string) =>
    Object.entries(statusDescriptions).map(([status, description]) => [
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
  const used = new Set(operations.flatMap((operation) => Object.values(errorsOf(operation))))
  return Object.fromEntries(
    [
      ...named('Problem', 'Problem', 'application/problem+json'),
      ...named('OAuth', 'OAuthError', 'application/json'),
    ].filter(([name]) => used.has(name as string)),
  )
}
