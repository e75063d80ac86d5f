/**
 * The environment for tests of identity directories: bindings without chains, and `cognito-local` as a user pool. A
 * server in front of the emulator does what AWS does and the emulator does not: it checks the signatures of admin calls
 * and the temporary password before a challenge, and resends confirmation codes. It also gives tests the codes.
 */
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { serve } from '../../local/standIns/server.ts'
import { contractNames } from '../../worker/chain/contractSets.ts'
import { signAws } from '../../worker/identity/sigv4.ts'
import { clientPath, installClients } from './clients.ts'

const region = 'us-east-1'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'only-for-tests' }

type PoolUser = {
  UserStatus: string
  Password: string
  ConfirmationCode?: string
  Attributes: { Name: string; Value: string }[]
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installClients()
  const folder = mkdtempSync(join(tmpdir(), 'bursar-cognito-'))
  mkdirSync(join(folder, '.cognito/db'), { recursive: true })
  const emulator = await startEmulator(folder)
  const admin = (action: string, body: object) => forward(emulator.url, action, JSON.stringify(body))
  const pool = JSON.parse((await admin('CreateUserPool', poolOptions)).text).UserPool.Id as string
  const client = JSON.parse((await admin('CreateUserPoolClient', { UserPoolId: pool, ClientName: 'bursar' })).text)
    .UserPoolClient.ClientId as string
  const front = await startFront(emulator.url, join(folder, `.cognito/db/${pool}.json`))

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  project.provide('workerBindings', {
    ENVIRONMENT: 'test',
    API_ORIGIN: 'http://localhost:3001',
    APP_ORIGIN: 'http://localhost:3001',
    KEK_V1: '11'.repeat(32),
    PAYOUT_SECRET_V1: '22'.repeat(32),
    ID_SECRET_V1: '66'.repeat(32),
    RELAYER_SEED_V1: '33'.repeat(32),
    CODE_PEPPER: '44'.repeat(32),
    PASSWORD_PEPPER: '55'.repeat(32),
    // No call reaches a chain; a Worker without contracts would refuse all work.
    CONTRACTS_8453: JSON.stringify(Object.fromEntries(contractNames.map((name) => [name, `0x${'c0'.repeat(20)}`]))),
    JWT_PRIVATE_JWK: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'ES256' }),
    COGNITO_REGION: region,
    COGNITO_USER_POOL_ID: pool,
    COGNITO_CLIENT_ID: client,
    COGNITO_ACCESS_KEY_ID: credentials.accessKeyId,
    COGNITO_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    COGNITO_ENDPOINT: `${front.url}/`,
  })
  return async () => {
    await front.stop()
    await emulator.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const poolOptions = {
  PoolName: 'bursar',
  UsernameAttributes: ['email'],
  AutoVerifiedAttributes: ['email'],
  MfaConfiguration: 'OFF',
}

async function startEmulator(cwd: string) {
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1' }
  const child = spawn(process.execPath, [clientPath('cognito-local/lib/bin/start.js')], { cwd, env })
  let log = ''
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      log = (log + chunk).slice(-10_000)
      const found = /running on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => reject(new Error(`cognito-local ended:\n${log}`)))
  })
  return {
    url: `${url}/`,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function startFront(emulator: string, dataFile: string) {
  const userOf = (email: string) => {
    const { Users } = JSON.parse(readFileSync(dataFile, 'utf8')) as { Users?: Record<string, PoolUser> }
    return Object.values(Users ?? {}).find(({ Attributes }) =>
      Attributes.some(({ Name, Value }) => Name === 'email' && Value === email),
    )
  }
  const refusal = (type: string) => ({ status: 400, text: JSON.stringify({ __type: type, message: type }) })

  async function answer(request: IncomingMessage): Promise<{ status: number; text: string }> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    if (url.pathname === '/code')
      return { status: 200, text: userOf(url.searchParams.get('email') ?? '')?.ConfirmationCode ?? '' }
    const body = await bodyOf(request)
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    if (action.startsWith('Admin') && !(await isSigned(request, url.href, body)))
      return refusal('InvalidSignatureException')
    const input = JSON.parse(body) as { Username?: string; AuthParameters?: { USERNAME: string; PASSWORD: string } }
    if (action === 'ResendConfirmationCode') {
      const user = userOf(input.Username ?? '')
      if (!user) return refusal('UserNotFoundException')
      if (user.UserStatus !== 'UNCONFIRMED') return refusal('InvalidParameterException')
      return { status: 200, text: JSON.stringify({ CodeDeliveryDetails: { DeliveryMedium: 'EMAIL' } }) }
    }
    if (action === 'InitiateAuth') {
      const user = userOf(input.AuthParameters?.USERNAME ?? '')
      if (user?.UserStatus === 'FORCE_CHANGE_PASSWORD' && user.Password !== input.AuthParameters?.PASSWORD)
        return refusal('NotAuthorizedException')
    }
    return forward(emulator, action, body)
  }

  return serve((request, response) => {
    answer(request)
      .then(({ status, text }) => response.writeHead(status, { 'content-type': amzJson }).end(text))
      .catch(() => request.socket.destroy())
  })
}

const amzJson = 'application/x-amz-json-1.1'

/** Whether the request is signed with our keys. AWS's examples test the signer itself (sigv4.test.ts). */
async function isSigned(request: IncomingMessage, url: string, body: string): Promise<boolean> {
  const { 'x-amz-target': target, 'x-amz-date': time, 'content-type': type, authorization } = request.headers
  const now = Date.parse(String(time).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(now)) return false
  const headers = { 'content-type': String(type), 'x-amz-target': String(target) }
  const request_ = { method: 'POST', url, headers, body, region, service: 'cognito-idp', credentials, now }
  return (await signAws(request_)).get('authorization') === authorization
}

async function forward(url: string, action: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': amzJson, 'x-amz-target': `AWSCognitoIdentityProviderService.${action}` }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
