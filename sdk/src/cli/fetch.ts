import { readFile } from 'node:fs/promises'
import type { Bursar } from '../bursar.ts'
import { BursarError, BursarOutcomeUnknown } from '../errors.ts'
import type { PaidResponse } from '../paidFetch.ts'
import { reasonOf } from '../transport.ts'
import type { Purchase } from '../types.ts'
import { exitCodes } from './help.ts'
import { NothingPaid, type Result, UsageError } from './shell.ts'

type Values = {
  method?: string
  data?: string
  header?: string[]
  'max-amount'?: string
  key?: string
  wait?: string
  memo?: string
  reference?: string
  reason?: string
}

/** `bursar fetch <url>`: requests it and pays if it is asked to. The body goes to standard output as it is. */
export async function fetchCommand(bursar: Bursar, url: string, values: Values, signal: AbortSignal): Promise<Result> {
  const { data, header = [], key, wait, memo, reference, reason } = values
  if (!/^https?:\/\//i.test(url)) throw new UsageError(`${url}: must start with https:// or http://`)
  if (wait !== undefined && wait !== 'approved') throw new UsageError('--wait: must be approved')
  const body = data === undefined ? undefined : await bodyOf(data)
  const method = values.method?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST')
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) throw new UsageError(`--data: not with ${method}`)
  const idempotencyKey = key ?? crypto.randomUUID()
  const headers = header.map(headerOf)
  const request = new Request(url, { method, headers, signal, ...(body !== undefined && { body }) })
  const options = {
    idempotencyKey,
    ...(values['max-amount'] !== undefined && { maxAmount: values['max-amount'] }),
    ...(wait && { wait: 'approved' as const }),
    ...(memo !== undefined && { memo }),
    ...(reference !== undefined && { reference }),
    ...(reason !== undefined && { reason }),
  }
  const response = await bursar.fetch(request, {}, options).catch((cause: unknown) => {
    if (cause instanceof BursarError) throw cause
    throw new NothingPaid(`No reply from ${request.url}: ${reasonOf(cause)}. Nothing was paid.`)
  })
  const bytes = await response.arrayBuffer().catch((cause: unknown) => {
    const { payment } = response
    const message = `The reply of ${request.url} ended early: ${reasonOf(cause)}.`
    if (payment === null) throw new NothingPaid(`${message} Nothing was paid.`)
    throw new BursarOutcomeUnknown(`${message} ${payment.id} may have paid for it.`, { idempotencyKey, payment, cause })
  })
  return { body: new Uint8Array(bytes), ...noteOf(url, response, idempotencyKey) }
}

/** `@file` is read, as curl does. */
async function bodyOf(data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (!data.startsWith('@')) return data
  return readFile(data.slice(1)).then(
    (bytes) => new Uint8Array(bytes),
    (error: Error) => {
      throw new UsageError(`--data: ${error.message}`)
    },
  )
}

function headerOf(text: string): [string, string] {
  const colon = text.indexOf(':')
  if (colon < 1) throw new UsageError(`--header: "${text}" must be "name: value"`)
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

/** What goes to standard error: what was paid, and a status that is not a success. */
function noteOf(url: string, { ok, status, payment }: PaidResponse, key: string): Omit<Result, 'body'> {
  const { host } = new URL(url)
  if (payment === null) {
    const table = ok ? '' : `${host} replied with status ${status}. Nothing was paid.`
    return { json: { status, payment }, table, code: ok ? exitCodes.done : exitCodes.refused }
  }
  const bought = `${payment.amount} USDC`
  const table = ok
    ? `Paid ${bought} to ${host} (${payment.id}).`
    : `${host} was handed ${payment.id} (${bought}) and replied with status ${status}.\nRepeat the command with --key ${key}: it never pays twice.`
  const code = ok ? exitCodes.done : exitCodes.unknown
  return { json: { status, payment: shown(payment), idempotency_key: key }, table, code }
}

/** Without what was handed to the seller, which is of no use to anybody else. */
function shown({ x402: _, ...payment }: Purchase) {
  return payment
}
