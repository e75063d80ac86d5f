import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#web/components/Button.tsx'
import { connectionsQuery } from '#web/queries/connections.ts'
import { useMay } from '#web/queries/people.ts'
import { RevokeDialog } from '../-agents/RevokeDialog.tsx'

/** Ends the connection that a notice is about, unless it has ended. */
export function EndConnection({ connectionId }: { connectionId: string }) {
  const mayEnd = useMay('connections.revoke')
  const connection = useQuery(connectionsQuery).data?.find(({ id }) => id === connectionId)
  const [isAsking, setAsking] = useState(false)
  if (!connection || !mayEnd) return null
  return (
    <>
      <Button look="secondary" onClick={() => setAsking(true)} className="mt-2 max-sm:w-full">
        End this connection
      </Button>
      {isAsking && <RevokeDialog connection={connection} onClose={() => setAsking(false)} />}
    </>
  )
}
