import { Tabs } from '@base-ui/react/tabs'
import { useQuery } from '@tanstack/react-query'
import { payScopes } from '#domain/scopes.ts'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useSession } from '#web/lib/session.ts'
import type { PolicyGroup } from '#web/queries/agents.ts'
import { walletsQuery } from '#web/queries/wallets.ts'
import { other } from '../../-shell/pages.ts'
import { exampleRecipient, ownAddress, quickStarts } from './quickStart.ts'

/** Example code for an agent's first calls, with a tab for each way to connect. */
export function QuickStart(props: { clientId: string; group: PolicyGroup | undefined }) {
  const { user } = useSession()
  const wallets = useQuery(walletsQuery).data ?? []
  const address = ownAddress(wallets, props.group?.walletId, user?.publicAddress)
  const to = exampleRecipient(props.group, { email: user?.email, address })
  const examples = quickStarts(location.origin, props.clientId, to)
  const allowsNothing = props.group && !payScopes.some((scope) => props.group?.scopes.includes(scope))
  return (
    <Tabs.Root defaultValue={examples[0]?.name}>
      {allowsNothing && (
        <Notice tone="warning" className="mb-2">
          {props.group?.name} allows no payments yet, so these are refused. Edit the policy group first.
        </Notice>
      )}
      {address && to.address === address.address && (
        <p className="mb-2 text-muted text-small">The examples pay 1.00 USDC to {address.whose}.</p>
      )}
      <Tabs.List aria-label="Quick start" className="mb-2 flex flex-wrap gap-1">
        {examples.map(({ name }) => (
          <Tabs.Tab
            key={name}
            value={name}
            className="h-8 rounded-control px-3 text-muted text-small hover:bg-sunken data-active:bg-sunken data-active:font-medium data-active:text-ink pointer-coarse:h-11"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map(({ name, note, code }) => (
        <Tabs.Panel key={name} value={name} className="rounded-control">
          <div className="mb-1 flex items-center justify-between gap-2">
            <p className="text-muted text-small">{note}</p>
            <CopyButton text={code} what={`${name} example`} />
          </div>
          <pre
            translate="no"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="max-h-80 overflow-auto whitespace-pre rounded-control bg-ink p-4 text-[12px]/5 text-paper"
          >
            {code}
          </pre>
        </Tabs.Panel>
      ))}
      <p className="mt-2 text-muted text-small">
        Assistants such as Claude or Cursor need no key:{' '}
        <TextLink to={other('assistants')}>connect them by URL</TextLink>.
      </p>
    </Tabs.Root>
  )
}
