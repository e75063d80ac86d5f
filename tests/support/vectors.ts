/** `sdk/vectors.json`: the cases that every SDK has to pass, and replies of the real server that they use. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const vectorsPath = join(import.meta.dirname, '../../sdk/vectors.json')

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

/** As the server sent it. Only the headers that a client reads. */
export type RecordedReply = { status: number; headers: Record<string, string>; body: JsonObject }
export type RecordedWebhook = { secret: string; headers: Record<string, string>; body: string }

/**
 * One reply of the server. `reply`: a recorded one, with `body` merged into it. `fails`: there is none. `cut`: the connection ends
 * after so many bytes of the body. In headers, `{date+10}` is the true time in ten seconds.
 */
export type VectorReply = {
  reply?: string
  fails?: 'lost' | 'silence' | 'certificate' | 'refused' | 'unknown_host'
  status?: number
  headers?: Record<string, string>
  body?: Json
  cut?: number
  /** So many spaces follow the body. */
  pad?: number
}

/**
 * `client`: the options of its constructor, durations in seconds; `access_tokens` is what a function returns, one after another;
 * `login` is the file of `bursar login`. `call`: one call or several, in which `method` may also be `elapse` (seconds pass).
 * `replies`: one for each request, in order; the last one is repeated. `expect`: of the last call. `lines`: without this line
 * (file: text) of each SDK, the case fails.
 */
export type Vector = {
  name: string
  client?: JsonObject
  clock_off_days?: number
  call: JsonObject | JsonObject[]
  replies?: VectorReply[]
  expect: {
    result?: Json
    error?: JsonObject
    requests?: string[]
    requests_at_least?: number
    sent?: JsonObject[]
    /** Seconds between one request and the next: at least and at most. */
    waits?: [number, number][]
    /** What the file of the login has afterwards; null if there is none. */
    login?: Json
  }
  lines?: Record<Language, string>
}
export type Language = 'typescript' | 'python'

export type Vectors = {
  replies: Record<string, RecordedReply>
  webhooks: Record<string, RecordedWebhook>
  cases: Vector[]
}

export const readVectors = (): Vectors => JSON.parse(readFileSync(vectorsPath, 'utf8')) as Vectors

/** One line for each field of an entry, so that the file can be read and compared. */
export function writeVectors({ replies, webhooks, cases }: Vectors): void {
  const fields = (entry: object, indent: string) =>
    Object.entries(entry)
      .map(([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  const named = (entries: object) =>
    Object.entries(entries)
      .map(([name, entry]) => `    ${JSON.stringify(name)}: {\n${fields(entry, '      ')}\n    }`)
      .join(',\n')
  const list = cases.map((each) => `    {\n${fields(each, '      ')}\n    }`).join(',\n')
  const text = `{\n  "replies": {\n${named(replies)}\n  },\n  "webhooks": {\n${named(webhooks)}\n  },\n  "cases": [\n${list}\n  ]\n}\n`
  writeFileSync(`${vectorsPath}.draft`, text)
  renameSync(`${vectorsPath}.draft`, vectorsPath)
}
