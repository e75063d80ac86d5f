import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Call, isAllowed, type MemberRole, type Role } from '#domain/roles.ts'
import type { Invitation, JoinedAccount, Member, People, SecondPerson } from '#schemas/people.ts'
import { actingFor } from '../lib/actingFor.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/queryClient.ts'

export type { Invitation, JoinedAccount, Member, People, SecondPerson }

const rolePollMs = 60_000 // 1 minute

/** Who acts for the account, and the role in it of the person who asks. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => api('GET /people', { signal }),
})

/** Accounts of others that the person has joined. */
export const accountsQuery = queryOptions({
  queryKey: ['people', 'accounts'],
  queryFn: ({ signal }) => api('GET /people/accounts', { signal }),
  staleTime: rolePollMs,
})

/** Keeps the role up to date, in the frame of all pages. Nobody is asked for one's own account. */
export const useRoleNow = () =>
  useQuery({ ...peopleQuery, enabled: actingFor() !== null, refetchInterval: rolePollMs, refetchOnWindowFocus: true })

/** The role of the person in the account on screen. Until it is known, the one that may do least. */
export function useRole(): Role {
  const role = useQuery({ ...peopleQuery, enabled: false }).data?.role
  return actingFor() === null ? 'owner' : (role ?? 'viewer')
}

/** Whether the person may make this call. What they may not do is absent, not disabled. */
export const useMay = (call: Call): boolean => isAllowed(useRole(), call)

/** The same for several calls. */
export function useAllowed(): (call: Call) => boolean {
  const role = useRole()
  return (call) => isAllowed(role, call)
}

const refreshPeople = () => queryClient.invalidateQueries({ queryKey: peopleQuery.queryKey, exact: true })

export async function invitePerson(body: { email: string; role: MemberRole; password: string }): Promise<void> {
  await api('POST /people', { body })
  await refreshPeople()
}

export async function changeRole(memberId: string, body: { role: MemberRole; password?: string }): Promise<void> {
  await api('PATCH /people/:memberId', { params: { memberId }, body })
  await refreshPeople()
}

export async function removePerson(memberId: string): Promise<void> {
  await api('DELETE /people/:memberId', { params: { memberId } })
  await refreshPeople()
}

/** `above` in decimal USDC; null: no second person is needed. */
export async function setSecondPerson(body: { above: string | null; password: string }): Promise<SecondPerson> {
  const saved = await api('PUT /people/second-person', { body })
  await refreshPeople()
  return saved
}

export const leaveAccount = () => api('POST /people/leave')

export const readInvitation = (token: string) => api('POST /people/invitation', { body: { token } })

/** Joins the account. If an earlier attempt had no reply, it may have joined already. */
export async function join(token: string, { account }: Invitation): Promise<void> {
  try {
    await api('POST /people/join', { body: { token } })
  } catch (error) {
    const joined = await api('GET /people/accounts').catch(() => [])
    if (!joined.some(({ id }) => id === account.id)) throw error
  }
}
