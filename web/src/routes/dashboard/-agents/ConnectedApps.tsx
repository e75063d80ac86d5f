import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { Card } from '#web/components/Card.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { linkClass } from '#web/components/Links.tsx'
import { May } from '#web/components/May.tsx'
import { Loaded } from '#web/components/states.tsx'
import { Time } from '#web/components/Time.tsx'
import { type Connection, connectionsQuery } from '#web/queries/connections.ts'
import { placeOf } from '../-connect/appWords.ts'
import { RevokeDialog } from './RevokeDialog.tsx'

const refreshMs = 30_000 // 30 seconds

/** The apps that can pay because the owner allowed it in a browser. Nothing while there are none: the page's header leads to the first. */
export default function ConnectedApps() {
  const connections = useQuery({ ...connectionsQuery, refetchInterval: refreshMs })
  const [revoked, setRevoked] = useState<Connection | null>(null)
  const isShown = connections.data ? connections.data.length > 0 : connections.error !== null
  return (
    <>
      {isShown && (
        <Card aria-labelledby="connected-apps" className="mt-4">
          <h2 id="connected-apps" className="px-5 py-4 font-semibold">
            Connected apps
          </h2>
          <Loaded query={connections} fallback="Failed to load connected apps" loading={null}>
            {(data) => (
              <ul className="divide-y divide-hairline border-hairline border-t">
                {data.map((connection) => (
                  <AppRow key={connection.id} connection={connection} onRevoke={() => setRevoked(connection)} />
                ))}
              </ul>
            )}
          </Loaded>
        </Card>
      )}
      {revoked && <RevokeDialog connection={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

function AppRow({ connection, onRevoke }: { connection: Connection; onRevoke: () => void }) {
  const { app, agent, createdAt, lastUsedAt } = connection
  return (
    <li data-testid="connected-app" className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="wrap-anywhere font-medium">{app.name}</span>
          {app.kind === 'registered' && (
            <Chip tone="waiting" title="Unverified name">
              Unverified app
            </Chip>
          )}
        </p>
        <p className="wrap-anywhere text-muted text-small">{placeOf(connection)}</p>
      </div>
      <p className="min-w-0 basis-56 text-small">
        Pays as{' '}
        <Link to="/dashboard/agents" search={{ agent: agent.id }} className={`wrap-anywhere ${linkClass}`}>
          {agent.name}
        </Link>
        {agent.status === 'paused' && <span> (paused)</span>}
        <span className="block text-muted">
          Since <Time iso={createdAt} as="date" />, {lastUsedAt ? 'last used ' : 'never used'}
          {lastUsedAt && <Time iso={lastUsedAt} />}
        </span>
      </p>
      <May call="connections.revoke">
        <Button look="secondary" aria-label={`Revoke ${app.name}`} onClick={onRevoke} className="max-sm:w-full">
          Revoke
        </Button>
      </May>
    </li>
  )
}
