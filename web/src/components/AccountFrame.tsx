import type { ReactNode } from 'react'
import { appName, tagline } from '../lib/app.ts'
import { usePrimaryChain } from '../queries/config.ts'
import { Mark } from './Mark.tsx'

/** The centered card of the account screens: sign-in, signup, codes and passwords. */
export function AccountFrame(props: { children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-[440px]">
        <div className="mb-6 flex flex-col items-center text-center">
          <Mark className="size-11" />
          <p className="mt-2 font-semibold text-title tracking-tight">{appName}</p>
          <p className="text-muted">{usePrimaryChain() === 'base' ? tagline : `${tagline} Test network.`}</p>
        </div>
        <div className="rounded-card border border-hairline bg-card p-6 sm:p-8">{props.children}</div>
      </div>
    </main>
  )
}
