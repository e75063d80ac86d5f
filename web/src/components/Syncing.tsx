/** 'Syncing...' while a list is being refreshed; its place is kept. */
export const Syncing = (props: { active: boolean }) => (
  <span role="status" className="min-w-20 text-muted text-small">
    {props.active ? 'Syncing...' : ''}
  </span>
)
