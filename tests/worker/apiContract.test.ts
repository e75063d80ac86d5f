/**
 * Checks the contract in worker/schemas/api.ts against the routes, mostly with types: `tsc -p .` fails if the contract lacks
 * a route or names one that does not exist, or if a reply, body, query or page differs.
 */
import type { ExtractSchema } from 'hono/types'
import type { JSONParsed, UnionToIntersection } from 'hono/utils/types'
import { expect, test } from 'vitest'
import type { ApiCall, ApiCalls } from '#schemas/api.ts'
import { type App, createApp } from '../../worker/app.ts'
import { createApi, seed } from './apiClient.ts'

type Schema = ExtractSchema<App>
type ApiPath = Extract<keyof Schema, `/api/${string}`>
/** The route types that Hono infers, under the table's keys. */
type Routes = UnionToIntersection<
  {
    [Path in ApiPath]: {
      [Method in keyof Schema[Path] as CallName<Method, Path>]: Schema[Path][Method]
    }
  }[ApiPath]
>
type CallName<Method, Path> = Method extends `$${infer Name}`
  ? Path extends `/api${infer Rest}`
    ? `${Uppercase<Name>} ${Rest}`
    : never
  : never

type IsAny<T> = 0 extends 1 & T ? true : false
type Same<A, B> = IsAny<A> extends true ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Get<T, Key extends string> = T extends { [K in Key]: infer Value } ? Value : undefined
/** Gives fields whose type the schema leaves unknown the type that the table declares. */
type Known<Sent, Declared> = {
  [Field in keyof Sent]: unknown extends Sent[Field] ? Declared[Field & keyof Declared] : Sent[Field]
}
/** A query as text, as it is in a URL. */
type AsText<Query> = { [Name in keyof Query]: Query[Name] extends number | undefined ? string : Query[Name] }

type ReplyMatches<Call extends ApiCall, Output> = ApiCalls[Call] extends { file: true }
  ? Output extends { data: unknown }
    ? false
    : true
  : Output extends { success: true; data: infer Data }
    ? Same<Data, JSONParsed<Get<ApiCalls[Call], 'reply'>>>
    : false
type PageMatches<Call extends ApiCall, Output> = Same<
  ApiCalls[Call] extends { page: true } ? true : false,
  Output extends { page: { number: number; size: number; total: number } } ? true : false
>
type BodyMatches<Call extends ApiCall, Input> =
  Get<Input, 'json'> extends infer Sent
    ? Get<ApiCalls[Call], 'body'> extends infer Declared
      ? [Declared] extends [Sent]
        ? [Known<Sent, Declared>] extends [Declared]
          ? true
          : false
        : false
      : never
    : never
type QueryMatches<Call extends ApiCall, Input> =
  Get<Input, 'query'> extends infer Sent
    ? ApiCalls[Call] extends { query?: infer Declared }
      ? [AsText<NonNullable<Declared>>] extends [Sent]
        ? [Same<keyof NonNullable<Declared>, keyof Sent>, AllOptional<Sent>] extends [
            true,
            AllOptional<Pick<ApiCalls[Call], 'query' & keyof ApiCalls[Call]>>,
          ]
          ? true
          : false
        : false
      : Same<Sent, undefined>
    : never
type AllOptional<T> = Record<never, never> extends T ? true : false

/** The names of the parts of a call that differ between table and route. */
type Differences<Call extends ApiCall> = Call extends keyof Routes
  ? Routes[Call] extends { input: infer Input; output: infer Output }
    ?
        | (ReplyMatches<Call, Output> extends true ? never : 'reply')
        | (PageMatches<Call, Output> extends true ? never : 'page')
        | (BodyMatches<Call, Input> extends true ? never : 'body')
        | (QueryMatches<Call, Input> extends true ? never : 'query')
    : 'route'
  : 'there is no such route'

type Mismatches = { [Call in ApiCall as [Differences<Call>] extends [never] ? never : Call]: Differences<Call> }
type Undeclared = { [Call in Exclude<keyof Routes, ApiCall>]: 'missing in worker/schemas/api.ts' }

test('the contract and the routes have the same calls with the same types (checked by tsc)', () => {
  // A type error here names the calls at fault.
  const mismatches: Mismatches = {}
  const undeclared: Undeclared = {}
  expect([mismatches, undeclared]).toEqual([{}, {}])
})

type PublicCall = { [Call in ApiCall]: ApiCalls[Call] extends { public: true } ? Call : never }[ApiCall]

/** Types do not exist at run time, so the public calls are listed here. The type ensures that the list is complete. */
const publicCalls: Record<PublicCall, true> = {
  'GET /health': true,
  'GET /ready': true,
  'GET /config': true,
  'POST /auth/cognito/login': true,
  'POST /auth/cognito/new-password': true,
  'POST /auth/cognito/refresh': true,
  'POST /auth/cognito/sign-out': true,
  'POST /auth/cognito/signup': true,
  'POST /auth/cognito/confirm': true,
  'POST /auth/cognito/confirm-link': true,
  'POST /auth/cognito/resend-code': true,
  'POST /auth/cognito/forgot-password': true,
  'POST /auth/cognito/reset-password': true,
  'POST /auth/cognito/reset-password-link': true,
  'POST /login': true,
  'POST /users': true,
  'GET /escrow/claim/:accessToken': true,
  'POST /escrow/verify-passcode': true,
  'POST /escrow/claim': true,
  'POST /escrow/receipt': true,
  'POST /escrow/resend-passcode': true,
  'POST /escrow/send-on': true,
  'GET /escrow/send-on/:accessToken': true,
  'GET /escrow/kept-balance/:accessToken': true,
}

test('exactly the calls that the contract marks as public need no login session', async () => {
  await seed()
  const api = createApi()
  const open: string[] = []
  for (const { method, path } of createApp().routes) {
    if (method === 'ALL' || !path.startsWith('/api/') || path.endsWith('*')) continue
    const call = `${method} ${path.slice('/api'.length).replace(/(.)\/$/, '$1')}`
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const { status } = await api.call(method, path.replace(/:\w+/g, 'x'), body)
    if (status !== 401) open.push(call)
  }
  expect([...new Set(open)].sort()).toEqual(Object.keys(publicCalls).sort())
})
