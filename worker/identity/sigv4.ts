import { AwsV4Signer } from 'aws4fetch'

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string }

/** Headers of an AWS request, signed with Signature Version 4. All of them and the host are signed. `now` in ms. */
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
