import { expect, test } from 'vitest'
import { signAws } from '../../worker/identity/sigv4.ts'

/** AWS's examples, from its Signature Version 4 test suite (aws-sig-v4-test-suite). */
const example = {
  url: 'https://example.amazonaws.com/',
  headers: {},
  body: '',
  region: 'us-east-1',
  service: 'service',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  now: Date.UTC(2015, 7, 30, 12, 36),
}
const scope = 'AKIDEXAMPLE/20150830/us-east-1/service/aws4_request'

test.each([
  [
    'get-vanilla',
    { method: 'GET' },
    'host;x-amz-date',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'post-vanilla',
    { method: 'POST' },
    'host;x-amz-date',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'post-x-www-form-urlencoded',
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('signAws reproduces the AWS example %s', async (_, changes, names, signature) => {
  const headers = await signAws({ ...example, ...changes })
  expect(headers.get('x-amz-date')).toBe('20150830T123600Z')
  expect(headers.get('authorization')).toBe(
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`,
  )
})
