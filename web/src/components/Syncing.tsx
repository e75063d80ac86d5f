/** 'Syncing...' while a list is being refreshed; otherwise an empty space of the same width. */
export const Syncing = (props: { active: boolean }) => (
  <span role="status" className="min-w-20 text-muted text-small">
    {props.active ? 'Syncing...' : ''}
  </span>
)
