import { buttonClass } from '#web/components/Button.tsx'
import { Card, PageHeader } from '#web/components/Card.tsx'
import { CopyButton } from '#web/components/CopyButton.tsx'
import { TextLink } from '#web/components/Links.tsx'
import { Notice } from '#web/components/Notice.tsx'
import { useTitle } from '#web/lib/useTitle.ts'
import { type Assistant, assistants, isOnThisComputer } from './assistants.ts'

/** How to add Bursar to an assistant: one URL, and the shortest way for each known client. */
export default function AssistantsPage() {
  useTitle('Connect an assistant')
  const url = `${location.origin}/mcp`
  const isLocal = isOnThisComputer(url)
  return (
    <>
      <PageHeader title="Connect an assistant" />
      <Card aria-labelledby="one-url" className="p-5">
        <h2 id="one-url" className="font-semibold">
          One URL for every assistant
        </h2>
        <div className="mt-3 flex flex-wrap items-center gap-3">
          <code
            translate="no"
            className="min-w-0 flex-1 basis-64 break-all rounded-control bg-sunken px-4 py-2.5 font-mono"
          >
            {url}
          </code>
          <CopyButton wide text={url} what="URL" className="max-sm:w-full" />
        </div>
        <p className="mt-3 text-muted">
          There is no key to copy. The assistant opens a page here, where you choose its wallet and how much it may
          spend. Then ask it: “Pay 1 USDC to” and the address. You can revoke it at any time under{' '}
          <TextLink to="/dashboard/agents">Agents</TextLink>.
        </p>
        {isLocal && (
          <Notice tone="info" className="mt-3">
            This server runs on your computer: Claude and ChatGPT, which run in the cloud, can’t reach it.
          </Notice>
        )}
      </Card>
      <ul className="mt-4 grid grid-cols-1 gap-4 md:grid-cols-2">
        {assistants(url).map((assistant) => (
          <li key={assistant.name} className="flex min-w-0">
            <AssistantCard {...assistant} />
          </li>
        ))}
      </ul>
      <p className="mt-4 text-muted text-small">
        Agents that run without a browser, such as a job on a server, use an API key instead: create one under{' '}
        <TextLink to="/dashboard/agents">Agents</TextLink>. What the tools do is described in the{' '}
        <a href="/docs" className="underline">
          API reference
        </a>
        .
      </p>
    </>
  )
}

function AssistantCard({ name, steps, link, code }: Assistant) {
  const isExternal = link?.href.startsWith('https:')
  return (
    <Card className="flex min-w-0 flex-1 flex-col gap-3 p-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 className="font-semibold">{name}</h2>
        {link && (
          <a
            href={link.href}
            {...(isExternal && { target: '_blank', rel: 'noopener noreferrer' })}
            className={buttonClass('secondary', 'max-sm:w-full')}
          >
            {link.label}
          </a>
        )}
      </div>
      <p className="text-muted text-small">{steps}</p>
      {code && (
        <div className="mt-auto flex items-start gap-2 rounded-control bg-ink p-1 pl-4 text-paper">
          <pre
            translate="no"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="min-w-0 flex-1 overflow-x-auto whitespace-pre py-2 text-[12px]/5"
          >
            {code.text}
          </pre>
          <CopyButton
            text={code.text}
            what={`${code.what} for ${name}`}
            className="text-paper! hover:bg-paper/15! [&_svg]:text-paper!"
          />
        </div>
      )}
    </Card>
  )
}
