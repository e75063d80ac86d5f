import type { ApiCall, ApiCalls, ParamNames } from '#schemas/api.ts'
import type { Page, Success } from '#schemas/common.ts'
import { exchange, type HttpOptions, type Method } from './http.ts'
import { passwordPrompt } from './passwordPrompt.ts'
import { withSession } from './renewal.ts'

/** Calls that return JSON, and calls that return a file. */
type JsonCall = { [Call in ApiCall]: ApiCalls[Call] extends { reply: unknown } ? Call : never }[ApiCall]
export type FileCall = Exclude<ApiCall, JsonCall>

type Options = Pick<HttpOptions, 'idempotencyKey' | 'signal' | 'keepalive'>
/** A call's input as the contract defines it (path parameters, body, query, `public`), plus options. */
type Input<Call extends ApiCall> = Call extends ApiCall
  ? Pick<ApiCalls[Call], Extract<keyof ApiCalls[Call], 'body' | 'query' | 'public'>> &
      ([ParamNames<Call>] extends [never] ? unknown : { params: Record<ParamNames<Call>, string> }) &
      Options
  : never
export type Args<Call extends ApiCall> =
  Record<never, never> extends Input<Call> ? [input?: Input<Call>] : [input: Input<Call>]

export type Reply<Call extends JsonCall> = ApiCalls[Call]['reply']
type Envelope<Call extends JsonCall> = Success<Reply<Call>> &
  (ApiCalls[Call] extends { page: true } ? { page: Page } : unknown)

/**
 * Calls /api and returns the reply's data: `api('PUT /wallets/:walletId', { params, body })`. Renews the session first if
 * it is about to expire. Throws ApiError.
 */
export const api = async <Call extends JsonCall>(call: Call, ...input: Args<Call>): Promise<Reply<Call>> =>
  (await apiEnvelope(call, ...input)).data

/** Like `api`, but returns the page and the message along with the data. */
export async function apiEnvelope<Call extends JsonCall>(call: Call, ...input: Args<Call>): Promise<Envelope<Call>> {
  const [method, path, options] = requestOf(call, input[0])
  const run = (password?: object) =>
    exchange(method, path, password ? { ...options, body: { ...options.body!, ...password } } : options)
  // tests/worker/apiContract.test.ts checks that replies match the contract.
  if (options.public) return (await run()) as Envelope<Call>
  const signedIn = (password?: object) => withSession(() => run(password))
  return (await (passwordPrompt.run ? passwordPrompt.run(signedIn) : signedIn())) as Envelope<Call>
}

type Params = Record<string, string>
type Query = Record<string, string | number | undefined>

/** The request of a call with this input. */
export function requestOf(call: ApiCall, input: object = {}): [Method, string, HttpOptions] {
  const [method, template] = call.split(' ') as [Method, string]
  const { params = {}, query = {}, ...options } = input as { params?: Params; query?: Query } & HttpOptions
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))
  const search = queryString(query)
  return [
    method,
    search ? `${path}?${search}` : path,
    // The API takes JSON only, so a POST without a body sends an empty object.
    method === 'POST' ? { body: {}, ...options } : options,
  ]
}

/** A query string of the values that are set. */
export function queryString(query: Query): string {
  const set = Object.entries(query).filter((entry): entry is [string, string | number] => Boolean(entry[1]))
  return new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
}
