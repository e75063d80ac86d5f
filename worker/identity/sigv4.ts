import { AwsV4Signer } from 'aws4fetch'

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string }

/** Signs an AWS request with Signature Version 4 and returns its headers. Signs all headers and the host. `now` in ms. */
export async function signAws(request: {
  method: string
  url: string
  headers: Record<string, string>
  body: string
  region: string
  service: string
  credentials: AwsCredentials
  now: number
}): Promise<Headers> {
  const { credentials, now, ...rest } = request
  const datetime = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '') // 20150830T123600Z
  return (await new AwsV4Signer({ ...rest, ...credentials, datetime, allHeaders: true }).sign()).headers
}
