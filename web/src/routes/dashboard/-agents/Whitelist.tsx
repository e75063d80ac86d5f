import { Button } from '#web/components/Button.tsx'
import { Chip } from '#web/components/Chip.tsx'
import { shortAddress } from '#web/lib/format.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'

const shownAtOnce = 50

/** The contacts that the group may pay, as whitelisted. Contacts that have changed since come first: they are refused. */
export function Whitelist(props: { group: PolicyGroup; onConfirm: (contactId: string) => void }) {
  const { whitelistedContacts } = props.group
  if (whitelistedContacts.length === 0)
    return <p className="text-muted">No contacts yet, so agents can’t pay any contact.</p>
  const sorted = whitelistedContacts.toSorted((a, b) => Number(b.stale) - Number(a.stale))
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Whitelisted contacts"
      className="max-h-56 space-y-1 overflow-y-auto rounded-sm"
    >
      {sorted.slice(0, shownAtOnce).map(({ contact, stale }) => (
        <li key={contact.id} className="flex flex-wrap items-center gap-x-2">
          <span className="wrap-anywhere">{contact.name}</span>
          <span className="wrap-anywhere text-muted text-small">
            {contact.address ? shortAddress(contact.address) : (contact.email ?? contact.phone)}
          </span>
          {stale && (
            <>
              <Chip tone="waiting" title="The contact changed after it was whitelisted. Payments to it are refused.">
                Changed
              </Chip>
              <Button look="secondary" className="h-8!" onClick={() => props.onConfirm(contact.id)}>
                Review
              </Button>
            </>
          )}
        </li>
      ))}
      {sorted.length > shownAtOnce && (
        <li className="text-muted text-small">
          and {(sorted.length - shownAtOnce).toLocaleString('en-US')} more; edit the group to see them all
        </li>
      )}
    </ul>
  )
}
