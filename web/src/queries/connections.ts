import { queryOptions } from '@tanstack/react-query'
import type { ApiCalls } from '#schemas/api.ts'
import type { CodeDestination, ConnectingApp, Connection, ConnectionRequest } from '#schemas/connection.ts'
import { api } from '../lib/api.ts'
import { orAlreadyDeleted, refreshing } from '../lib/changes.ts'
import { queryClient } from '../lib/queryClient.ts'
import { refreshGroups } from './agents.ts'

export type { CodeDestination, ConnectingApp, Connection, ConnectionRequest }

export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: ({ signal }) => api('GET /connections', { signal }),
})

const refreshConnections = () => queryClient.invalidateQueries({ queryKey: connectionsQuery.queryKey })

/** Ends a connection: its app is refused from the next call on. Its agent stays. */
export const revokeConnection = (connectionId: string) =>
  refreshing(refreshConnections)(
    orAlreadyDeleted(api('DELETE /connections/:connectionId', { params: { connectionId } })),
  )

/** What an app asks for. The first call binds the request to this account, for 30 minutes. */
export const connectionRequestQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['connection-request', requestId],
    queryFn: ({ signal }) => api('GET /connections/requests/:requestId', { params: { requestId }, signal }),
    staleTime: Number.POSITIVE_INFINITY, // what a person has read does not change below the button
  })

export type Allowed = ApiCalls['POST /connections/requests/:requestId/allow']['body']

/** The agent exists once the app exchanges its code, a moment later. */
export const allowConnection = (requestId: string, body: Allowed) =>
  api('POST /connections/requests/:requestId/allow', { params: { requestId }, body })

export const denyConnection = (requestId: string) =>
  api('POST /connections/requests/:requestId/deny', { params: { requestId } })

/** Returns the request of the device that shows this code. */
export const enterDeviceCode = (userCode: string) => api('POST /connections/device', { body: { userCode } })

/** After a device was allowed, whose agent appears while this page stays open. */
export const refreshAfterAllowing = () => Promise.all([refreshConnections(), refreshGroups()])
