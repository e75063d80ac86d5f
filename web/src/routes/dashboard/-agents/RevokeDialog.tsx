import { StopDialog } from '#web/components/HandedOut.tsx'
import { type Connection, revokeConnection } from '#web/queries/connections.ts'

/** Confirms the end of a connection. */
export function RevokeDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { app, agent } = connection
  return (
    <StopDialog
      endsFor={({ agentId }) => agentId === agent.id}
      title={`Revoke ${app.name}`}
      danger
      confirm={['Revoke', 'Revoking...']}
      fallback="Failed to revoke the app. Please try again."
      act={() => revokeConnection(connection.id)}
      done={`${app.name} can’t pay any more.`}
      onClose={onClose}
    >
      <p>
        <strong className="wrap-anywhere font-semibold">{app.name}</strong> can do nothing more, from its next call on.
        It will need your permission to pay again.
      </p>
      <p>
        Payments that it has already made go through, and those that wait for your approval still wait. The agent{' '}
        {agent.name} keeps its budget and history, and its API key, if it has one, keeps working.
      </p>
    </StopDialog>
  )
}
