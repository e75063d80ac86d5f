import type { z } from 'zod'
import { redirectKey, redirectTarget, withParameters } from '#domain/redirectUri.ts'
import { payScopes, sendScopes, visibleScopes } from '#domain/scopes.ts'
import { isoOf, minuteMs } from '#domain/time.ts'
import type {
  AllowConnection,
  CodeDestination,
  ConnectingApp,
  ConnectionAnswer,
  ConnectionRequest as ConnectionRequestView,
} from '#schemas/connection.ts'
import type { Person } from '../appEnv.ts'
import { answerRequest, openRequest } from '../db/connections.ts'
import type { ConnectionRequestRow } from '../db/schema.ts'
import { AppError, endedSession } from '../errors.ts'
import { mintClient, mintConnectionToken } from '../identity/credentials.ts'
import { newId } from '../identity/secrets.ts'
import { unwrap } from '../result.ts'
import type { AllowInput } from '../treasury/account/connections/rpcTypes.ts'
import { knownScopes } from './authorize.ts'
import { type KnownClient, knownClient, ownOrigins, unnamed } from './oauthClients.ts'
import { groupInput } from './policies.ts'

/** From the moment at which a person opens the request. Enough to make a wallet first. */
const openedMs = 30 * minuteMs
const codeMs = minuteMs
/** A sign-in for this request counts as the password for this long. */
const freshSignInMs = 5 * minuteMs

type Opened = KnownClient & { row: ConnectionRequestRow; destination: CodeDestination; isFreshSignIn: boolean }

/** What the consent page shows. */
export async function showRequest(person: Person, id: string): Promise<ConnectionRequestView> {
  const { row, app, destination, isFreshSignIn } = await open(person, id)
  const scopes = visibleScopes.filter((scope) => knownScopes(row.scope)?.includes(scope) ?? true)
  // Purchases need a part of the wallet's limit, so an app that asks for everything is not proposed to make them.
  const proposed = payScopes.every((scope) => scopes.includes(scope)) ? [...sendScopes] : scopes
  return {
    id,
    app,
    destination,
    expiresAt: isoOf(row.expiresAt),
    scopes,
    passwordRequired: !isFreshSignIn,
    existing: await person.treasury.connections().existing(row.clientId, keyOf(row), registeredName(app)),
    proposed: {
      agentName: app.name,
      group: { name: app.name, scopes: proposed, periodBudget: { period: 'day', limit: '20' }, approveAbove: '5' },
    },
  }
}

/** Allows the app to act as an agent. The reply has a code for the app; it works once, for a minute. */
export async function allowRequest(
  person: Person,
  id: string,
  { agent }: z.output<typeof AllowConnection>,
  passwordChecked: boolean,
): Promise<ConnectionAnswer> {
  const { deps, personId } = person
  const now = deps.now()
  const { row, app, destination, document, mustSign, isFreshSignIn } = await open(person, id, 'allowed')
  const { clientId, redirectUri, state } = row
  const connectionId = newId('con')
  const code =
    redirectUri === null ? null : mintConnectionToken(deps.env, 'code', { userId: personId, connectionId }, now)
  const agentId = newId('agt')
  const input: AllowInput = {
    ...{ id: connectionId, requestId: id, clientId, redirectKey: keyOf(row), app: { app, destination } },
    allowed: {
      ...{
        redirectUri,
        challenge: row.codeChallenge,
        resource: row.resource,
        scopes: knownScopes(row.scope),
        ...{ document, mustSign },
      },
      agent: await choiceOf(person, agent),
    },
    newAgent: { id: agentId, clientId: mintClient(deps.env, { userId: personId, agentId }, now).clientId },
    codeHash: code?.hash ?? null,
    expiresAt: code ? now + codeMs : row.expiresAt,
    passwordChecked: passwordChecked || isFreshSignIn,
  }
  unwrap(await person.treasury.connections().allow(input))
  if (!(await answerRequest(deps.db, id, { answer: 'allowed', connectionId, clientId }, now))) {
    await person.treasury.connections().revoke(connectionId)
    throw answered()
  }
  if (redirectUri === null || code === null) return { redirect: null }
  return { redirect: withParameters(redirectUri, { code: code.token, state, iss: deps.env.API_ORIGIN }) }
}

export async function denyRequest(person: Person, id: string): Promise<ConnectionAnswer> {
  const { deps } = person
  const { row } = await open(person, id, 'denied')
  const { clientId, redirectUri, state } = row
  if (!(await answerRequest(deps.db, id, { answer: 'denied', connectionId: null, clientId }, deps.now())))
    throw answered()
  if (redirectUri === null) return { redirect: null }
  return { redirect: withParameters(redirectUri, { error: 'access_denied', state, iss: deps.env.API_ORIGIN }) }
}

/**
 * The request, bound to this person, with its app and redirect verified. `repeated`: an answer that may have been given
 * before, because its reply may have been lost.
 */
async function open(person: Person, id: string, repeated: ConnectionRequestRow['answer'] = null): Promise<Opened> {
  const { deps, personId } = person
  const now = deps.now()
  const { row, session } = await openRequest(
    deps.db,
    id,
    { userId: personId, loginSessionId: person.loginSessionId },
    { now, expiresAt: now + openedMs },
  )
  if (session === null) throw new AppError('unauthenticated', endedSession)
  // Nobody learns whether another account has opened it.
  if (!row || (row.userId !== null && row.userId !== personId))
    throw new AppError('not_found', 'This request is not known. Start again in the app.')
  if (row.expiresAt <= now) throw new AppError('gone', 'This request took too long. Start again in the app.')
  if (row.answer !== null && row.answer !== repeated) throw answered()
  const client = await knownClient(deps, { id: row.clientId, redirectUri: row.redirectUri, userId: personId })
  const destination = client && destinationOf(row, ownOrigins(deps.env))
  if (!destination)
    throw new AppError('unprocessable', 'This app does not name the address that it wants the answer at.')
  const { signedInAt, signedInFor } = session
  // A request may be made long before: any sign-in after it would count for whoever waits with a stolen session.
  const isFreshSignIn = row.deviceHash === null && signedInFor === id && now - signedInAt < freshSignInMs
  return { ...client, row, destination, isFreshSignIn }
}

const destinationOf = (
  { redirectUri, createdAt, place }: ConnectionRequestRow,
  own: string[],
): CodeDestination | null =>
  redirectUri === null ? { type: 'device', askedAt: isoOf(createdAt), place } : redirectTarget(redirectUri, own)

const keyOf = ({ redirectUri }: ConnectionRequestRow) => (redirectUri === null ? '' : redirectKey(redirectUri))

const registeredName = ({ kind, name }: ConnectingApp) => (kind === 'registered' && name !== unnamed ? name : null)

async function choiceOf(
  person: Person,
  agent: z.output<typeof AllowConnection>['agent'],
): Promise<AllowInput['allowed']['agent']> {
  if (agent.type === 'existing') return agent
  const { type, name, policyGroup } = agent
  if (policyGroup.type === 'existing') return { type, name, policyGroup }
  const { type: isNew, ...input } = policyGroup
  return { type, name, policyGroup: { type: isNew, group: await groupInput(person, input) } }
}

const answered = () => new AppError('gone', 'This request has been answered. Start again in the app.')
