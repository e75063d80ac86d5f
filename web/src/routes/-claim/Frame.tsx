import type { ReactNode } from 'react'
import { Mark } from '#web/components/Mark.tsx'
import { appName } from '#web/lib/app.ts'
import { type Chain, networkPhrase, unitOf } from '#web/lib/networks.ts'

/** The card in the middle of the claim screen. `chain` is missing if there is no payout. */
export function Frame(props: { chain?: Chain | undefined; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <main className="w-full max-w-[440px] rounded-card border border-hairline bg-card p-6 sm:p-8">
        {props.children}
      </main>
      <footer className="mt-6 flex items-center gap-2 text-muted text-small">
        <Mark className="size-4" />
        Sent with {appName}. {unitOf(props.chain ?? 'base')} on {networkPhrase(props.chain ?? 'base')}.
      </footer>
    </div>
  )
}
