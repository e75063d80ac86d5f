import { createHash, createHmac } from 'node:crypto'

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string }

/**
 * AWS Signature Version 4 of a request without query: `headers` plus `x-amz-date` and `authorization`. The host, which
 * fetch sets, is signed too. Header names must be lower case. `now` in ms.
 */
export function signAws(input: {
  method: string
  url: string
  headers: Record<string, string>
  body: string
  region: string
  service: string
  credentials: AwsCredentials
  now: number
}): Record<string, string> {
  const { method, url, body, region, service, credentials, now } = input
  const { host, pathname } = new URL(url)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '') // 20150830T123600Z
  const date = time.slice(0, 8)
  const sent = { ...input.headers, 'x-amz-date': time }
  const headers: Record<string, string> = { ...sent, host }
  const names = Object.keys(headers).sort()
  const signed = names.join(';')
  const canonicalHeaders = names.map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}\n`).join('')
  const canonicalRequest = [method, pathname, '', canonicalHeaders, signed, sha256(body)].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonicalRequest)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretAccessKey}`,
  )
  const signature = hmac(key, toSign).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
  return { ...sent, authorization }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
